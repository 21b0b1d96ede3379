//! The functions as native methods of the Java class `Jni`, by way of jni-rs, which catches panics in `with_env`.

use jni::EnvUnowned;
use jni::errors::{Error, ThrowRuntimeExAndDefault};
use jni::objects::{JByteArray, JClass, JString};
use jni::sys::{jint, jlong};

#[unsafe(no_mangle)]
pub extern "system" fn Java_Jni_echoText<'caller>(
    mut caller: EnvUnowned<'caller>,
    _: JClass<'caller>,
    text: JString<'caller>,
) -> JString<'caller> {
    let called = caller.with_env(|env| -> Result<_, Error> {
        let text = text.try_to_string(env)?;
        JString::from_str(env, crossings::echo_text(&text))
    });
    called.resolve::<ThrowRuntimeExAndDefault>()
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_Jni_echoBytes<'caller>(
    mut caller: EnvUnowned<'caller>,
    _: JClass<'caller>,
    bytes: JByteArray<'caller>,
) -> JByteArray<'caller> {
    let called = caller.with_env(|env| -> Result<_, Error> {
        let bytes = env.convert_byte_array(&bytes)?;
        env.byte_array_from_slice(&crossings::echo_bytes(&bytes))
    });
    called.resolve::<ThrowRuntimeExAndDefault>()
}

// Java has no unsigned numbers: the same bits are read as signed ones there.
#[unsafe(no_mangle)]
pub extern "system" fn Java_Jni_sortAndHash(mut caller: EnvUnowned, _: JClass, seed: jlong, count: jint) -> jlong {
    let called = caller.with_env(|_| -> Result<_, Error> {
        Ok(crossings::sort_and_hash(seed.cast_unsigned(), count.cast_unsigned()).cast_signed())
    });
    called.resolve::<ThrowRuntimeExAndDefault>()
}

#[unsafe(no_mangle)]
pub extern "system" fn Java_Jni_writeNumbers(mut caller: EnvUnowned, _: JClass, seed: jlong, count: jint) -> jlong {
    let called = caller.with_env(|_| -> Result<_, Error> {
        Ok(crossings::write_numbers(seed.cast_unsigned(), count.cast_unsigned()).cast_signed())
    });
    called.resolve::<ThrowRuntimeExAndDefault>()
}
