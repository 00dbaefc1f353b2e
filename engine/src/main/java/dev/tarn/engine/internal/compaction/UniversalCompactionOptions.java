package dev.tarn.engine.internal.compaction;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of universal compaction, under the names and with the defaults of Apache Paimon.
 *
 * <p>Every key can be set on a tree that exists: nothing here is persisted with the data.
 *
 * <p>Threads: immutable; a {@link Builder} belongs to one thread.
 */
public final class UniversalCompactionOptions {
    public static final String COMPACTION_TRIGGER = "num-sorted-run.compaction-trigger";
    public static final String STOP_TRIGGER = "num-sorted-run.stop-trigger";
    public static final String NUM_LEVELS = "num-levels";
    public static final String MAX_SIZE_AMPLIFICATION_PERCENT =
            "compaction.max-size-amplification-percent";
    public static final String SIZE_RATIO = "compaction.size-ratio";
    public static final String OFFPEAK_START_HOUR = "compaction.offpeak.start.hour";
    public static final String OFFPEAK_END_HOUR = "compaction.offpeak.end.hour";
    public static final String OFFPEAK_RATIO = "compaction.offpeak-ratio";
    public static final String OPTIMIZATION_INTERVAL = "compaction.optimization-interval";
    public static final String TOTAL_SIZE_THRESHOLD = "compaction.total-size-threshold";
    public static final String INCREMENTAL_SIZE_THRESHOLD = "compaction.incremental-size-threshold";
    public static final String FORCE_UP_LEVEL_0 = "compaction.force-up-level-0";
    public static final String FORCE_UP_MAX_INTERVAL = "lookup-compact.max-interval";
    public static final String ABSORB_LEVEL_1 = "compaction.absorb-level-1";

    /** Runs that start a compaction. Few keep reads fast, many keep writes cheap. */
    public static final int COMPACTION_TRIGGER_DEFAULT = 5;

    /** How far the stop trigger and the number of levels lie above the compaction trigger. */
    public static final int STOP_TRIGGER_DISTANCE_DEFAULT = 3;

    /** Percent of the oldest run's size that the newer runs may have. */
    public static final int MAX_SIZE_AMPLIFICATION_PERCENT_DEFAULT = 200;

    /** Percent by which the next run may be larger than those picked so far. */
    public static final int SIZE_RATIO_DEFAULT = 1;

    /** An interval, threshold or hour that is off. */
    public static final int OFF = -1;

    private final int compactionTrigger;
    private final int stopTrigger;
    private final int numLevels;
    private final int maxSizeAmplificationPercent;
    private final int sizeRatio;
    private final int offpeakStartHour;
    private final int offpeakEndHour;
    private final int offpeakRatio;
    private final long optimizationIntervalMillis;
    private final long totalSizeThresholdBytes;
    private final long incrementalSizeThresholdBytes;
    private final boolean forceUpLevel0;
    private final int forceUpMaxInterval;
    private final boolean absorbLevel1;

    private UniversalCompactionOptions(Builder builder) {
        compactionTrigger = builder.compactionTrigger;
        // A smaller stop trigger is silently raised, as in Paimon: it would stop writers for ever.
        stopTrigger =
                Math.max(
                        compactionTrigger,
                        builder.stopTrigger == OFF
                                ? compactionTrigger + STOP_TRIGGER_DISTANCE_DEFAULT
                                : builder.stopTrigger);
        numLevels = builder.numLevels == OFF ? compactionTrigger + 1 : builder.numLevels;
        maxSizeAmplificationPercent = builder.maxSizeAmplificationPercent;
        sizeRatio = builder.sizeRatio;
        offpeakStartHour = builder.offpeakStartHour;
        offpeakEndHour = builder.offpeakEndHour;
        offpeakRatio = builder.offpeakRatio;
        optimizationIntervalMillis = builder.optimizationIntervalMillis;
        totalSizeThresholdBytes = builder.totalSizeThresholdBytes;
        incrementalSizeThresholdBytes = builder.incrementalSizeThresholdBytes;
        forceUpLevel0 = builder.forceUpLevel0;
        forceUpMaxInterval =
                builder.forceUpMaxInterval == OFF
                        ? OFF
                        : Math.max(compactionTrigger, builder.forceUpMaxInterval);
        absorbLevel1 = builder.absorbLevel1;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns the options with all defaults. */
    public static UniversalCompactionOptions defaults() {
        return builder().build();
    }

    /** The number of runs that starts a compaction by size; more than it starts one by count. */
    public int compactionTrigger() {
        return compactionTrigger;
    }

    /** The number of runs at which writers stop; never below {@link #compactionTrigger()}. */
    public int stopTrigger() {
        return stopTrigger;
    }

    /** The number of levels, level 0 included. */
    public int numLevels() {
        return numLevels;
    }

    /** The level of a full compaction's output. */
    public int maxLevel() {
        return numLevels - 1;
    }

    public int maxSizeAmplificationPercent() {
        return maxSizeAmplificationPercent;
    }

    /** Percent by which the next run may be larger than those picked so far, at an hour of day. */
    public int sizeRatio(int hour) {
        return isOffpeak(hour) ? sizeRatio + offpeakRatio : sizeRatio;
    }

    /** Milliseconds from one full compaction to the next, or {@link #OFF}. */
    public long optimizationIntervalMillis() {
        return optimizationIntervalMillis;
    }

    /** The size in bytes below which a tree is always compacted fully, or {@link #OFF}. */
    public long totalSizeThresholdBytes() {
        return totalSizeThresholdBytes;
    }

    /** The bytes outside the top level that cause a full compaction, or {@link #OFF}. */
    public long incrementalSizeThresholdBytes() {
        return incrementalSizeThresholdBytes;
    }

    /** Whether level 0 is emptied when nothing else is to be done. */
    public boolean forceUpLevel0() {
        return forceUpLevel0;
    }

    /** How many refusals in a row pass before level 0 is forced up, or {@link #OFF}: at once. */
    public int forceUpMaxInterval() {
        return forceUpMaxInterval;
    }

    /**
     * Whether a pick that was triggered goes on over level 1 whatever its size, as newer releases
     * of Paimon do: otherwise level 1 can keep growing by runs of unlike size.
     */
    public boolean absorbLevel1() {
        return absorbLevel1;
    }

    private boolean isOffpeak(int hour) {
        if (offpeakStartHour == OFF || offpeakEndHour == OFF) {
            return false;
        }
        if (offpeakStartHour <= offpeakEndHour) {
            return offpeakStartHour <= hour && hour < offpeakEndHour;
        }
        return hour < offpeakEndHour || offpeakStartHour <= hour;
    }

    /** Returns the keys of all options. */
    public static List<String> keys() {
        return List.of(
                COMPACTION_TRIGGER,
                STOP_TRIGGER,
                NUM_LEVELS,
                MAX_SIZE_AMPLIFICATION_PERCENT,
                SIZE_RATIO,
                OFFPEAK_START_HOUR,
                OFFPEAK_END_HOUR,
                OFFPEAK_RATIO,
                OPTIMIZATION_INTERVAL,
                TOTAL_SIZE_THRESHOLD,
                INCREMENTAL_SIZE_THRESHOLD,
                FORCE_UP_LEVEL_0,
                FORCE_UP_MAX_INTERVAL,
                ABSORB_LEVEL_1);
    }

    /** Returns the options that differ from "off", by key. */
    public Map<String, String> toMap() {
        Map<String, String> map = new TreeMap<>();
        map.put(COMPACTION_TRIGGER, Integer.toString(compactionTrigger));
        map.put(STOP_TRIGGER, Integer.toString(stopTrigger));
        map.put(NUM_LEVELS, Integer.toString(numLevels));
        map.put(MAX_SIZE_AMPLIFICATION_PERCENT, Integer.toString(maxSizeAmplificationPercent));
        map.put(SIZE_RATIO, Integer.toString(sizeRatio));
        map.put(OFFPEAK_START_HOUR, Integer.toString(offpeakStartHour));
        map.put(OFFPEAK_END_HOUR, Integer.toString(offpeakEndHour));
        map.put(OFFPEAK_RATIO, Integer.toString(offpeakRatio));
        map.put(FORCE_UP_LEVEL_0, Boolean.toString(forceUpLevel0));
        map.put(ABSORB_LEVEL_1, Boolean.toString(absorbLevel1));
        putUnlessOff(map, OPTIMIZATION_INTERVAL, optimizationIntervalMillis);
        putUnlessOff(map, TOTAL_SIZE_THRESHOLD, totalSizeThresholdBytes);
        putUnlessOff(map, INCREMENTAL_SIZE_THRESHOLD, incrementalSizeThresholdBytes);
        putUnlessOff(map, FORCE_UP_MAX_INTERVAL, forceUpMaxInterval);
        return map;
    }

    private static void putUnlessOff(Map<String, String> map, String key, long value) {
        if (value != OFF) {
            map.put(key, Long.toString(value));
        }
    }

    /** Shows the options as lines {@code key=value}, sorted by key. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        toMap().forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }

    /** Collects options; those not set keep their defaults. */
    public static final class Builder {
        private int compactionTrigger = COMPACTION_TRIGGER_DEFAULT;
        private int stopTrigger = OFF;
        private int numLevels = OFF;
        private int maxSizeAmplificationPercent = MAX_SIZE_AMPLIFICATION_PERCENT_DEFAULT;
        private int sizeRatio = SIZE_RATIO_DEFAULT;
        private int offpeakStartHour = OFF;
        private int offpeakEndHour = OFF;
        private int offpeakRatio;
        private long optimizationIntervalMillis = OFF;
        private long totalSizeThresholdBytes = OFF;
        private long incrementalSizeThresholdBytes = OFF;
        private boolean forceUpLevel0;
        private int forceUpMaxInterval = OFF;
        private boolean absorbLevel1;

        private Builder() {}

        /** Default {@value #COMPACTION_TRIGGER_DEFAULT}, at least 1. */
        public Builder compactionTrigger(int runCount) {
            compactionTrigger = runCount;
            return this;
        }

        /** Default: the compaction trigger + 3; raised to the compaction trigger if below. */
        public Builder stopTrigger(int runCount) {
            stopTrigger = runCount;
            return this;
        }

        /** Default: the compaction trigger + 1; at least 2. */
        public Builder numLevels(int levelCount) {
            numLevels = levelCount;
            return this;
        }

        /** Default {@value #MAX_SIZE_AMPLIFICATION_PERCENT_DEFAULT}. */
        public Builder maxSizeAmplificationPercent(int percent) {
            maxSizeAmplificationPercent = percent;
            return this;
        }

        /** Default {@value #SIZE_RATIO_DEFAULT}. */
        public Builder sizeRatio(int percent) {
            sizeRatio = percent;
            return this;
        }

        /**
         * The hours of day, {@code [start, end)}, possibly over midnight, in which a percentage is
         * added to the size ratio. Default: never.
         */
        public Builder offpeak(int startHour, int endHour, int ratioPercent) {
            offpeakStartHour = startHour;
            offpeakEndHour = endHour;
            offpeakRatio = ratioPercent;
            return this;
        }

        /** Default {@link #OFF}. */
        public Builder optimizationIntervalMillis(long millis) {
            optimizationIntervalMillis = millis;
            return this;
        }

        /** Default {@link #OFF}. */
        public Builder totalSizeThresholdBytes(long bytes) {
            totalSizeThresholdBytes = bytes;
            return this;
        }

        /** Default {@link #OFF}. */
        public Builder incrementalSizeThresholdBytes(long bytes) {
            incrementalSizeThresholdBytes = bytes;
            return this;
        }

        /** Default false; on for the lookup changelog producer. */
        public Builder forceUpLevel0(boolean force) {
            forceUpLevel0 = force;
            return this;
        }

        /** Default {@link #OFF}; raised to the compaction trigger if below. */
        public Builder forceUpMaxInterval(int refusalCount) {
            forceUpMaxInterval = refusalCount;
            return this;
        }

        /** Default false: Paimon 1.3's decisions. */
        public Builder absorbLevel1(boolean absorb) {
            absorbLevel1 = absorb;
            return this;
        }

        /**
         * Sets one option by its key.
         *
         * @param value a plain number (bytes, milliseconds) or {@code true} or {@code false}
         * @throws IllegalArgumentException if the key is unknown or the value is none of its kind
         */
        public Builder set(String key, String value) {
            return switch (key) {
                case COMPACTION_TRIGGER -> compactionTrigger(parseInt(key, value));
                case STOP_TRIGGER -> stopTrigger(parseInt(key, value));
                case NUM_LEVELS -> numLevels(parseInt(key, value));
                case MAX_SIZE_AMPLIFICATION_PERCENT ->
                        maxSizeAmplificationPercent(parseInt(key, value));
                case SIZE_RATIO -> sizeRatio(parseInt(key, value));
                case OFFPEAK_START_HOUR ->
                        offpeak(parseInt(key, value), offpeakEndHour, offpeakRatio);
                case OFFPEAK_END_HOUR ->
                        offpeak(offpeakStartHour, parseInt(key, value), offpeakRatio);
                case OFFPEAK_RATIO ->
                        offpeak(offpeakStartHour, offpeakEndHour, parseInt(key, value));
                case OPTIMIZATION_INTERVAL -> optimizationIntervalMillis(parseLong(key, value));
                case TOTAL_SIZE_THRESHOLD -> totalSizeThresholdBytes(parseLong(key, value));
                case INCREMENTAL_SIZE_THRESHOLD ->
                        incrementalSizeThresholdBytes(parseLong(key, value));
                case FORCE_UP_LEVEL_0 -> forceUpLevel0(parseBoolean(key, value));
                case FORCE_UP_MAX_INTERVAL -> forceUpMaxInterval(parseInt(key, value));
                case ABSORB_LEVEL_1 -> absorbLevel1(parseBoolean(key, value));
                default -> throw new IllegalArgumentException("unknown option: key=" + key);
            };
        }

        /**
         * Checks and returns the options.
         *
         * @throws IllegalArgumentException if one is outside its range
         */
        public UniversalCompactionOptions build() {
            checkRange(COMPACTION_TRIGGER, compactionTrigger, 1, Integer.MAX_VALUE - 3);
            if (stopTrigger != OFF) {
                checkRange(STOP_TRIGGER, stopTrigger, 0, Integer.MAX_VALUE);
            }
            if (numLevels != OFF) {
                checkRange(NUM_LEVELS, numLevels, 2, Integer.MAX_VALUE);
            }
            checkRange(
                    MAX_SIZE_AMPLIFICATION_PERCENT,
                    maxSizeAmplificationPercent,
                    0,
                    Integer.MAX_VALUE);
            checkRange(SIZE_RATIO, sizeRatio, 0, Integer.MAX_VALUE / 2);
            checkRange(OFFPEAK_START_HOUR, offpeakStartHour, OFF, 23);
            checkRange(OFFPEAK_END_HOUR, offpeakEndHour, OFF, 24);
            checkRange(OFFPEAK_RATIO, offpeakRatio, 0, Integer.MAX_VALUE / 2);
            checkRange(OPTIMIZATION_INTERVAL, optimizationIntervalMillis, OFF, Long.MAX_VALUE);
            checkRange(TOTAL_SIZE_THRESHOLD, totalSizeThresholdBytes, OFF, Long.MAX_VALUE);
            checkRange(
                    INCREMENTAL_SIZE_THRESHOLD, incrementalSizeThresholdBytes, OFF, Long.MAX_VALUE);
            checkRange(FORCE_UP_MAX_INTERVAL, forceUpMaxInterval, OFF, Integer.MAX_VALUE);
            return new UniversalCompactionOptions(this);
        }

        private static void checkRange(String key, long value, long min, long max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(
                        key + " must be in [" + min + ", " + max + "]: " + key + "=" + value);
            }
        }

        private static int parseInt(String key, String value) {
            return Math.toIntExact(parseLong(key, value));
        }

        private static long parseLong(String key, String value) {
            try {
                return Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "option is not a whole number: " + key + "=" + value, e);
            }
        }

        private static boolean parseBoolean(String key, String value) {
            if (value.equals("true") || value.equals("false")) {
                return value.equals("true");
            }
            throw new IllegalArgumentException(
                    "option must be true or false: " + key + "=" + value);
        }
    }
}
