//! The library's functions for JNI, which finds them by the name of a class and a method.

use jni_sys::{JNIEnv, jint, jlong, jobject};

#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_abi")]
pub extern "system" fn abi(_: *mut JNIEnv, _: jobject) -> jlong {
    crate::tierup_abi() as jlong
}

/// # Safety
/// As for [`crate::tierup_call`].
#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_call")]
pub unsafe extern "system" fn call(
    _: *mut JNIEnv,
    _: jobject,
    function: jint,
    arguments: jlong,
    length: jlong,
    room: jlong,
    capacity: jlong,
) -> jlong {
    // SAFETY: the caller's promise.
    unsafe {
        crate::tierup_call(
            function as u32,
            arguments as *const u8,
            length as usize,
            room as *mut u8,
            capacity as usize,
        )
    }
}

#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_allocate")]
pub extern "system" fn allocate(_: *mut JNIEnv, _: jobject, length: jlong) -> jlong {
    crate::tierup_allocate(length as usize) as jlong
}

/// # Safety
/// As for [`crate::tierup_copy`].
#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_copy")]
pub unsafe extern "system" fn copy(_: *mut JNIEnv, _: jobject, from: jlong, to: jlong, length: jlong) {
    // SAFETY: the caller's promise.
    unsafe { crate::tierup_copy(from as *const u8, to as *mut u8, length as usize) };
}

/// # Safety
/// As for [`crate::tierup_free`].
#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_free")]
pub unsafe extern "system" fn free(_: *mut JNIEnv, _: jobject, data: jlong, length: jlong, capacity: jlong) {
    // SAFETY: the caller's promise.
    unsafe { crate::tierup_free(data as *mut u8, length as usize, capacity as usize) };
}

/// The address of a direct buffer's bytes.
///
/// # Safety
/// Only the virtual machine may call this.
#[unsafe(export_name = "Java_{{symbol}}_internal_Jni_address")]
pub unsafe extern "system" fn address(env: *mut JNIEnv, _: jobject, buffer: jobject) -> jlong {
    // SAFETY: the virtual machine passes its environment, which has the functions of version 1.4 since Java 1.4.
    unsafe { ((**env).v1_4.GetDirectBufferAddress)(env, buffer) as jlong }
}
