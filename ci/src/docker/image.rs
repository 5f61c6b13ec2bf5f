//! Images: built from a bundle's environment folder, measured, removed.

use super::{Outcome, because, ensure};
use bollard::Docker;
use bollard::query_parameters::{
    BuildImageOptionsBuilder, ListContainersOptionsBuilder, RemoveImageOptionsBuilder, StatsOptionsBuilder,
};
use futures_util::StreamExt;
use std::path::Path;

/// The local engine.
#[derive(Debug)]
pub struct Engine {
    docker: Docker,
    /// Its version.
    pub version: String,
}

/// An image that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its name without the tag, which is `lane`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What it adds to its base, in bytes.
    pub added_bytes: u64,
    /// The user that it runs as.
    pub user: String,
}

impl Engine {
    /// Connects as the `docker` command does.
    ///
    /// # Errors
    /// No engine answers.
    pub async fn connect() -> Outcome<Self> {
        let docker = Docker::connect_with_defaults().map_err(because("the engine cannot be reached"))?;
        let docker = docker.negotiate_version().await.map_err(because("the engine does not answer"))?;
        let version = docker.version().await.map_err(because("the engine does not answer"))?;
        Ok(Self { docker, version: version.version.unwrap_or_default() })
    }

    /// Builds the image of an environment folder on `base`, which must be there.
    ///
    /// # Errors
    /// What the build said.
    pub async fn build(&self, environment: &Path, name: &str, base: &str) -> Outcome<Built> {
        let context = context(environment)?;
        let options =
            BuildImageOptionsBuilder::default().t(&format!("{name}:lane")).rm(true).forcerm(true).nocache(true).build();
        let mut steps = self.docker.build_image(options, None, Some(bollard::body_full(context.into())));
        while let Some(step) = steps.next().await {
            let step = step.map_err(because("the image cannot be built"))?;
            if let Some(error) = step.error_detail.and_then(|detail| detail.message) {
                return Err(format!("the image cannot be built: {error}"));
            }
        }
        let image = self.docker.inspect_image(&format!("{name}:lane")).await.map_err(because("no image was built"))?;
        let bytes = image.size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default();
        let base_bytes = self.bytes_of(base).await?;
        let user = image.config.and_then(|config| config.user).unwrap_or_default();
        Ok(Built { name: name.to_owned(), bytes, added_bytes: bytes.saturating_sub(base_bytes), user })
    }

    /// The size of an image in bytes.
    ///
    /// # Errors
    /// It is not there.
    pub async fn bytes_of(&self, image: &str) -> Outcome<u64> {
        let image = self.docker.inspect_image(image).await.map_err(because("the base image is not there"))?;
        Ok(image.size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default())
    }

    /// Removes an image that the lane built.
    ///
    /// # Errors
    /// It cannot be removed, because something still uses it.
    pub async fn remove(&self, built: &Built) -> Outcome<()> {
        let options = RemoveImageOptionsBuilder::default().build();
        let name = format!("{}:lane", built.name);
        self.docker.remove_image(&name, Some(options), None).await.map_err(because("the image cannot be removed"))?;
        Ok(())
    }

    /// Bytes of memory that a container holds, without the files that the kernel gives back.
    ///
    /// # Errors
    /// The engine does not say.
    pub async fn memory(&self, container: &str) -> Outcome<u64> {
        let options = StatsOptionsBuilder::default().stream(false).one_shot(true).build();
        let stats = self.docker.stats(container, Some(options)).next().await;
        let stats = stats.ok_or("no statistics")?.map_err(because("no statistics"))?;
        let memory = stats.memory_stats.ok_or("no memory statistics")?;
        let usage = memory.usage.ok_or("no memory usage")?;
        let counted = memory.stats.unwrap_or_default();
        let files = ["total_inactive_file", "inactive_file"].iter().find_map(|name| counted.get(*name).copied());
        Ok(usage.saturating_sub(files.unwrap_or_default()))
    }

    /// Milliseconds of processor time that a container has taken.
    ///
    /// # Errors
    /// The engine does not say.
    pub async fn cpu_ms(&self, container: &str) -> Outcome<f64> {
        let options = StatsOptionsBuilder::default().stream(false).one_shot(true).build();
        let stats = self.docker.stats(container, Some(options)).next().await;
        let stats = stats.ok_or("no statistics")?.map_err(because("no statistics"))?;
        let usage = stats.cpu_stats.and_then(|cpu| cpu.cpu_usage).and_then(|usage| usage.total_usage);
        usage.map(|nanoseconds| nanoseconds as f64 / 1e6).ok_or_else(|| "no processor statistics".to_owned())
    }

    /// When a container was started, as the engine spells it.
    ///
    /// # Errors
    /// The engine does not say.
    pub async fn started_at(&self, container: &str) -> Outcome<String> {
        let found =
            self.docker.inspect_container(container, None).await.map_err(because("the container is not there"))?;
        found.state.and_then(|state| state.started_at).ok_or_else(|| "no start time".to_owned())
    }

    /// Checks that no container of an image is left, running or not.
    ///
    /// # Errors
    /// One is.
    pub async fn leaves_nothing(&self, image: &str) -> Outcome<()> {
        let options = ListContainersOptionsBuilder::default().all(true).build();
        let containers =
            self.docker.list_containers(Some(options)).await.map_err(because("containers cannot be listed"))?;
        let left =
            containers.iter().filter(|it| it.image.as_deref().is_some_and(|name| name.starts_with(image))).count();
        ensure(left == 0, || format!("{left} containers of {image} are left"))
    }
}

/// The folder as a build context.
fn context(folder: &Path) -> Outcome<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_dir_all(".", folder).map_err(because("the environment folder cannot be read"))?;
    archive.into_inner().map_err(because("the environment folder cannot be packed"))
}
