//! `Dockerfile`: an image with the program, the two inputs and a user that is not root. Nothing in it but an installation
//! from the registry uses the network; the base is named by tag, so a local image can stand in for it.

use super::limits::{BASE_IMAGE, BUILDER_IMAGE, CONTAINER_PORT, CONTAINER_USER};
use super::package_source::PackageSource;

/// The folder that a packed release is unpacked into.
const UNPACKED: &str = "/opt/rea";
/// Where the program is otherwise.
const PROGRAM: &str = "/usr/local/bin/rea";

/// The file of an environment called `name`.
pub(super) fn dockerfile(name: &str, package: &PackageSource) -> String {
    let (builder, install, program) = match package {
        PackageSource::Executable { .. } => (
            String::new(),
            format!("COPY --chown={CONTAINER_USER}:{CONTAINER_USER} rea {PROGRAM}\n"),
            PROGRAM.to_owned(),
        ),
        // ADD unpacks a local archive; the archive itself is in no layer.
        PackageSource::Tarball { file, program, .. } => (
            String::new(),
            format!("ADD --chown={CONTAINER_USER}:{CONTAINER_USER} {file} {UNPACKED}/\n"),
            format!("{UNPACKED}/{program}"),
        ),
        PackageSource::Registry { specifier } => (
            format!("FROM {BUILDER_IMAGE} AS package\nRUN cargo install --locked --root {UNPACKED} {specifier}\n\n"),
            format!("COPY --from=package {UNPACKED}/bin/rea {PROGRAM}\n"),
            PROGRAM.to_owned(),
        ),
    };
    format!(
        "# The base needs a shell and python3: the framework's readiness probe runs them.\n\
         ARG BASE_IMAGE={BASE_IMAGE}\n\
         {builder}\
         FROM ${{BASE_IMAGE}}\n\
         # The framework copies seed files into /data as this user.\n\
         RUN mkdir -p /data && chown {CONTAINER_USER}:{CONTAINER_USER} /data\n\
         {install}\
         # Owned by the user that reads them, since the files of a bundle are private to their owner.\n\
         COPY --chown={CONTAINER_USER}:{CONTAINER_USER} manifest.json evidence.json /env/\n\
         ENV MCP_HOST=0.0.0.0 MCP_PORT={CONTAINER_PORT} ENVIRONMENT_NAME={name}\n\
         EXPOSE {CONTAINER_PORT}\n\
         USER {CONTAINER_USER}:{CONTAINER_USER}\n\
         CMD [\"{program}\", \"environment-serve\", \"/env/manifest.json\", \"--evidence\", \"/env/evidence.json\"]\n"
    )
}
