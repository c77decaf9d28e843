//! Gives the program its version.

fn main() {
    build_version::emit();
}
