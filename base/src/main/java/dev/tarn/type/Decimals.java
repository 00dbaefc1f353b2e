package dev.tarn.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Decimals as integers without their point (unscaled), at the scale of their column.
 *
 * <p>A value with more digits behind the point than its column is rounded half away from zero, as
 * Flink's sinks do; one with too many digits before it is an {@link IllegalArgumentException}.
 */
public final class Decimals {
    /** Up to this precision an unscaled value fits a {@code long}. */
    public static final int COMPACT_PRECISION_MAX = 18;

    /** Digits shown of a value that is refused. */
    private static final MathContext SHOWN = new MathContext(ScalarType.DECIMAL_PRECISION_MAX + 2);

    private static final long[] POWERS_OF_TEN = new long[19];

    static {
        POWERS_OF_TEN[0] = 1;
        for (int i = 1; i < POWERS_OF_TEN.length; i++) {
            POWERS_OF_TEN[i] = POWERS_OF_TEN[i - 1] * 10;
        }
    }

    private Decimals() {}

    /** Returns whether values of the type fit a {@code long}. */
    public static boolean isCompact(ScalarType type) {
        return type.precision() <= COMPACT_PRECISION_MAX;
    }

    /** Returns ten to the power of {@code exponent}, which is in [0, 18]. */
    public static long powerOfTen(int exponent) {
        return POWERS_OF_TEN[exponent];
    }

    /** Returns {@code unscaled * 10^-scale} as an unscaled value of a compact type. */
    public static long toCompact(long unscaled, int scale, ScalarType type) {
        if (scale == type.scale()) {
            long bound = POWERS_OF_TEN[type.precision()];
            if (unscaled <= -bound || unscaled >= bound) {
                throw tooLarge(BigDecimal.valueOf(unscaled, scale), type);
            }
            return unscaled;
        }
        return toCompact(BigDecimal.valueOf(unscaled, scale), type);
    }

    /** Returns a value as the unscaled value of a compact type. */
    public static long toCompact(BigDecimal value, ScalarType type) {
        return toUnscaled(value, type).longValue();
    }

    /** Returns a value as the unscaled value of a type. */
    public static BigInteger toUnscaled(BigDecimal value, ScalarType type) {
        // The power of ten above the value. Checked first: a far exponent would fill the heap.
        long magnitude = (long) value.precision() - value.scale();
        boolean isZero = value.signum() == 0 || magnitude < -type.scale();
        if (!isZero && magnitude > ScalarType.DECIMAL_PRECISION_MAX) {
            throw tooLarge(value, type);
        }
        BigDecimal scaled =
                isZero
                        ? BigDecimal.valueOf(0, type.scale())
                        : value.setScale(type.scale(), RoundingMode.HALF_UP);
        if (scaled.precision() > type.precision()) {
            throw tooLarge(value, type);
        }
        return scaled.unscaledValue();
    }

    private static IllegalArgumentException tooLarge(BigDecimal value, ScalarType type) {
        return new IllegalArgumentException(
                "decimal has too many digits for its type: value="
                        + value.round(SHOWN)
                        + " type="
                        + type);
    }
}
