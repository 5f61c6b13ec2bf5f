//! The program `rea`: the library's command line and an allocator.

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    rea::cli::run(std::env::args_os())
}
