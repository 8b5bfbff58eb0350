//! Where a linker wants to know every symbol, it is told that Python's come later.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
