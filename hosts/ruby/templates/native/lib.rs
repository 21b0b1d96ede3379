//! Your functions as an extension of Ruby: the glue in `c/glue.c` defines the methods.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod direct;
mod entries;

// This function may raise, which skips no destructor here.
unsafe extern "C-unwind" {
    fn tierup_define_methods(entries: &'static entries::Entries);
}

/// Ruby calls this when it loads the extension.
#[allow(non_snake_case, reason = "Ruby finds it by the file's name")]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn Init_{{extension}}() {
    // SAFETY: Ruby loads an extension in a thread that holds the VM's lock.
    unsafe { tierup_define_methods(&entries::ENTRIES) }
}
