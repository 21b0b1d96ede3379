// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import java.math.BigInteger;
import java.util.function.Function;

/** A type of Rust's, as far as edge values of it are concerned. */
sealed interface Type {
    /** What has a few remarkable values of its own. */
    enum Plain implements Type {
        BOOL, F32, F64, TEXT, BYTES
    }

    /** Whole numbers, and what they are in Java. */
    enum Whole implements Type {
        I8(true, 8, BigInteger::byteValueExact),
        U8(false, 8, BigInteger::intValueExact),
        I16(true, 16, BigInteger::shortValueExact),
        U16(false, 16, BigInteger::intValueExact),
        I32(true, 32, BigInteger::intValueExact),
        U32(false, 32, BigInteger::longValueExact),
        I64(true, 64, BigInteger::longValueExact),
        U64(false, 64, BigInteger::longValue),
        // As large as a size is in 32-bit Wasm.
        ISIZE(true, 32, BigInteger::longValueExact),
        USIZE(false, 32, BigInteger::longValueExact);

        final BigInteger least;
        final BigInteger most;
        private final Function<BigInteger, Object> boxed;

        Whole(boolean isSigned, int bits, Function<BigInteger, Object> boxed) {
            least = isSigned ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
            most = BigInteger.ONE.shiftLeft(isSigned ? bits - 1 : bits).subtract(BigInteger.ONE);
            this.boxed = boxed;
        }

        Object of(BigInteger value) {
            return boxed.apply(value);
        }
    }

    record Maybe(Type inner) implements Type {}

    record Many(Type inner) implements Type {}

    record Keyed(Type inner) implements Type {}

    /** That of {@code Interface.DEFINITIONS} at this place. */
    record Defined(int place) implements Type {}
}
