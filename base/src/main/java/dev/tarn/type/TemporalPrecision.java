package dev.tarn.type;

/** Cuts times to the digits that their column keeps; digits beyond are dropped, not rounded. */
public final class TemporalPrecision {
    /** Up to this precision a time or timestamp is a number of milliseconds. */
    public static final int MILLIS_PRECISION_MAX = 3;

    public static final int NANOS_PER_MILLI = 1_000_000;
    public static final long NANOS_PER_DAY = 86_400_000_000_000L;
    public static final int MILLIS_PER_DAY = 86_400_000;

    private TemporalPrecision() {}

    /**
     * Returns milliseconds with the digits that {@code precision} leaves behind the second.
     *
     * @throws IllegalArgumentException if there is no such number, within a second of the smallest
     */
    public static long cutMillis(long millis, int precision) {
        long cut = millis - millisBeyond(millis, precision);
        if (cut > millis) {
            throw new IllegalArgumentException("timestamp is out of range: millis=" + millis);
        }
        return cut;
    }

    /** Returns whether {@link #cutMillis} leaves the milliseconds as they are. */
    public static boolean isCutMillis(long millis, int precision) {
        return millisBeyond(millis, precision) == 0;
    }

    private static long millisBeyond(long millis, int precision) {
        return precision >= MILLIS_PRECISION_MAX
                ? 0
                : Math.floorMod(millis, Decimals.powerOfTen(MILLIS_PRECISION_MAX - precision));
    }

    /** Returns nanoseconds of a millisecond, or of a day, cut to {@code precision} digits. */
    public static long cutNanos(long nanos, int precision) {
        return nanos - nanos % Decimals.powerOfTen(ScalarType.TIME_PRECISION_MAX - precision);
    }

    /** Returns {@code nanosOfMilli} if it is less than a millisecond. */
    public static int checkNanosOfMilli(int nanosOfMilli) {
        if (nanosOfMilli < 0 || nanosOfMilli >= NANOS_PER_MILLI) {
            throw new IllegalArgumentException(
                    "nanoseconds of a millisecond must be in [0, 999999]: nanosOfMilli="
                            + nanosOfMilli);
        }
        return nanosOfMilli;
    }

    /** Returns {@code nanosOfDay} if it is less than a day. */
    public static long checkNanosOfDay(long nanosOfDay) {
        if (nanosOfDay < 0 || nanosOfDay >= NANOS_PER_DAY) {
            throw new IllegalArgumentException(
                    "nanoseconds of a day must be in [0, 86400000000000): nanosOfDay="
                            + nanosOfDay);
        }
        return nanosOfDay;
    }
}
