package dev.tarn.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tarn.testing.RandomSource;
import dev.tarn.testing.Seeds;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs on the backend of this JVM; the build runs it once for each of them. */
class OffHeapMemoryTest {
    private static final int CAPACITY = 1024;

    private final MemoryRegion region = region(CAPACITY);
    private final OffHeapMemory memory = region.memory();

    private static MemoryRegion region(int capacity) {
        return MemoryRegion.allocate(
                MemoryAccountant.unlimited(), MemoryPurpose.IO_BUFFER, capacity, 64);
    }

    @AfterEach
    void closeRegion() {
        region.close();
    }

    /** One way to reach {@code size} bytes. */
    private record Access(String name, int size, Call call) {
        @Override
        public String toString() {
            return name;
        }
    }

    @FunctionalInterface
    private interface Call {
        void at(OffHeapMemory memory, int offset);
    }

    static List<Access> accesses() {
        byte[] array = new byte[16];
        return List.of(
                new Access("getByte", 1, (m, o) -> m.getByte(o)),
                new Access("putByte", 1, (m, o) -> m.putByte(o, (byte) 1)),
                new Access("getUnsignedByte", 1, (m, o) -> m.getUnsignedByte(o)),
                new Access("getShort", 2, (m, o) -> m.getShort(o)),
                new Access("putShort", 2, (m, o) -> m.putShort(o, (short) 1)),
                new Access("getUnsignedShort", 2, (m, o) -> m.getUnsignedShort(o)),
                new Access("getInt", 4, (m, o) -> m.getInt(o)),
                new Access("putInt", 4, (m, o) -> m.putInt(o, 1)),
                new Access("getLong", 8, (m, o) -> m.getLong(o)),
                new Access("putLong", 8, (m, o) -> m.putLong(o, 1)),
                new Access("getLongBigEndian", 8, (m, o) -> m.getLongBigEndian(o)),
                new Access("getBytes", 5, (m, o) -> m.getBytes(o, array, 3, 5)),
                new Access("putBytes", 5, (m, o) -> m.putBytes(o, array, 3, 5)),
                new Access("getBytes to buffer", 5, (m, o) -> m.getBytes(o, bytes(16), 5)),
                new Access("putBytes of buffer", 5, (m, o) -> m.putBytes(o, bytes(16), 5)),
                new Access("fill", 5, (m, o) -> m.fill(o, 5, (byte) 1)),
                new Access("asByteBuffer", 5, (m, o) -> m.asByteBuffer(o, 5)),
                new Access("copyTo as source", 5, (m, o) -> m.copyTo(o, m, 0, 5)),
                new Access("copyTo as target", 5, (m, o) -> m.copyTo(0, m, o, 5)),
                new Access("long copyTo as source", 200, (m, o) -> m.copyTo(o, m, 0, 200)),
                new Access("long copyTo as target", 200, (m, o) -> m.copyTo(0, m, o, 200)));
    }

    static List<Access> atomicAccesses() {
        return List.of(
                new Access("getIntAcquire", 4, (m, o) -> m.getIntAcquire(o)),
                new Access("putIntRelease", 4, (m, o) -> m.putIntRelease(o, 1)),
                new Access("compareAndSetInt", 4, (m, o) -> m.compareAndSetInt(o, 0, 1)),
                new Access("getAndAddInt", 4, (m, o) -> m.getAndAddInt(o, 1)),
                new Access("getLongAcquire", 8, (m, o) -> m.getLongAcquire(o)),
                new Access("putLongRelease", 8, (m, o) -> m.putLongRelease(o, 1)),
                new Access("getLongOpaque", 8, (m, o) -> m.getLongOpaque(o)),
                new Access("putLongOpaque", 8, (m, o) -> m.putLongOpaque(o, 1)),
                new Access("getLongVolatile", 8, (m, o) -> m.getLongVolatile(o)),
                new Access("putLongVolatile", 8, (m, o) -> m.putLongVolatile(o, 1)),
                new Access("compareAndSetLong", 8, (m, o) -> m.compareAndSetLong(o, 0, 1)),
                new Access("getAndAddLong", 8, (m, o) -> m.getAndAddLong(o, 1)));
    }

    private static ByteBuffer bytes(int capacity) {
        return ByteBuffer.allocate(capacity);
    }

    @ParameterizedTest
    @MethodSource("accesses")
    void plainAccessIsBounded(Access access) {
        assertBounded(access, 1);
    }

    @ParameterizedTest
    @MethodSource("atomicAccesses")
    void atomicAccessIsBounded(Access access) {
        assertBounded(access, access.size());
    }

    private void assertBounded(Access access, int step) {
        access.call().at(memory, 0);
        access.call().at(memory, CAPACITY - access.size());
        for (int offset :
                new int[] {
                    CAPACITY - access.size() + step,
                    CAPACITY,
                    -step,
                    Integer.MIN_VALUE,
                    Integer.MAX_VALUE - Integer.MAX_VALUE % step,
                    Integer.MAX_VALUE - 15
                }) {
            assertThatThrownBy(() -> access.call().at(memory, offset))
                    .as("offset %s", offset)
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("accesses")
    void plainAccessAfterCloseThrows(Access access) {
        assertThrowsAfterClose(access);
    }

    @ParameterizedTest
    @MethodSource("atomicAccesses")
    void atomicAccessAfterCloseThrows(Access access) {
        assertThrowsAfterClose(access);
    }

    private static void assertThrowsAfterClose(Access access) {
        MemoryRegion closed = region(CAPACITY);
        closed.close();
        assertThat(closed.memory().capacity()).isZero();
        assertThatThrownBy(() -> access.call().at(closed.memory(), 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void lengthsAreBounded() {
        byte[] array = new byte[CAPACITY];
        for (int length : new int[] {-1, CAPACITY - 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> memory.fill(4, length, (byte) 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.copyTo(4, memory, 0, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.copyTo(0, memory, 4, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.getBytes(4, array, 0, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.putBytes(4, array, 0, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.getBytes(0, array, 4, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.putBytes(0, array, 4, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.getBytes(4, bytes(2 * CAPACITY), length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.putBytes(4, bytes(2 * CAPACITY), length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.asByteBuffer(4, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> memory.getBytes(0, bytes(4), 5))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.putBytes(0, bytes(4), 5))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void newMemoryIsZero() {
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(memory.getByte(i)).isZero();
        }
    }

    @Test
    void plainAccessEqualsALittleEndianBuffer() {
        ByteBuffer expected = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
        Seeds.run(
                20,
                random -> {
                    for (int i = 0; i < 1000; i++) {
                        int offset = random.between(0, CAPACITY - 7);
                        long value = random.nextLong();
                        switch (random.nextInt(4)) {
                            case 0 -> {
                                memory.putByte(offset, (byte) value);
                                expected.put(offset, (byte) value);
                            }
                            case 1 -> {
                                memory.putShort(offset, (short) value);
                                expected.putShort(offset, (short) value);
                            }
                            case 2 -> {
                                memory.putInt(offset, (int) value);
                                expected.putInt(offset, (int) value);
                            }
                            default -> {
                                memory.putLong(offset, value);
                                expected.putLong(offset, value);
                            }
                        }
                        int read = random.between(0, CAPACITY - 7);
                        assertThat(memory.getByte(read)).isEqualTo(expected.get(read));
                        assertThat(memory.getUnsignedByte(read))
                                .isEqualTo(expected.get(read) & 0xff);
                        assertThat(memory.getShort(read)).isEqualTo(expected.getShort(read));
                        assertThat(memory.getUnsignedShort(read))
                                .isEqualTo(expected.getShort(read) & 0xffff);
                        assertThat(memory.getInt(read)).isEqualTo(expected.getInt(read));
                        assertThat(memory.getLong(read)).isEqualTo(expected.getLong(read));
                        assertThat(memory.getLongBigEndian(read))
                                .isEqualTo(Long.reverseBytes(expected.getLong(read)));
                    }
                    assertThat(memory.asByteBuffer(0, CAPACITY)).isEqualTo(expected);
                });
    }

    @Test
    void orderedAccessesSeeEachOther() {
        Seeds.run(
                20,
                random -> {
                    long value = random.nextLong();
                    int offset = random.between(0, CAPACITY / 8) * 8;
                    memory.putLongRelease(offset, value);
                    assertThat(memory.getLongAcquire(offset)).isEqualTo(value);
                    assertThat(memory.getLong(offset)).isEqualTo(value);
                    memory.putLongOpaque(offset, value + 1);
                    assertThat(memory.getLongOpaque(offset)).isEqualTo(value + 1);
                    memory.putLongVolatile(offset, value + 2);
                    assertThat(memory.getLongVolatile(offset)).isEqualTo(value + 2);
                    assertThat(memory.compareAndSetLong(offset, value, 7)).isFalse();
                    assertThat(memory.compareAndSetLong(offset, value + 2, 7)).isTrue();
                    assertThat(memory.getAndAddLong(offset, 5)).isEqualTo(7);
                    assertThat(memory.getLong(offset)).isEqualTo(12);
                    memory.putIntRelease(offset, (int) value);
                    assertThat(memory.getIntAcquire(offset)).isEqualTo((int) value);
                    assertThat(memory.compareAndSetInt(offset, (int) value + 1, 3)).isFalse();
                    assertThat(memory.compareAndSetInt(offset, (int) value, 3)).isTrue();
                    assertThat(memory.getAndAddInt(offset, -4)).isEqualTo(3);
                    assertThat(memory.getInt(offset)).isEqualTo(-1);
                });
    }

    @Test
    void additionsOfManyThreadsAreNotLost() throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] =
                    new Thread(
                            () -> {
                                for (int i = 0; i < 50_000; i++) {
                                    memory.getAndAddLong(64, 1);
                                    memory.getAndAddInt(128, 1);
                                    int seen;
                                    do {
                                        seen = memory.getIntAcquire(192);
                                    } while (!memory.compareAndSetInt(192, seen, seen + 1));
                                }
                            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(memory.getLong(64)).isEqualTo(200_000);
        assertThat(memory.getInt(128)).isEqualTo(200_000);
        assertThat(memory.getInt(192)).isEqualTo(200_000);
    }

    @Test
    void copiesOfEverySizeAtOddOffsetsLeaveTheRestAlone() {
        byte[] source = new RandomSource(1).bytes(CAPACITY);
        memory.putBytes(0, source, 0, CAPACITY);
        try (MemoryRegion target = region(CAPACITY)) {
            for (int length = 0; length <= 300; length++) {
                for (int from : new int[] {0, 1, 7, 13}) {
                    for (int to : new int[] {0, 3, 8, 21}) {
                        target.memory().fill(0, CAPACITY, (byte) 0x55);
                        memory.copyTo(from, target.memory(), to, length);
                        byte[] expected = new byte[CAPACITY];
                        Arrays.fill(expected, (byte) 0x55);
                        System.arraycopy(source, from, expected, to, length);
                        byte[] actual = new byte[CAPACITY];
                        target.memory().getBytes(0, actual, 0, CAPACITY);
                        if (!Arrays.equals(actual, expected)) {
                            assertThat(actual)
                                    .as("length=%s from=%s to=%s", length, from, to)
                                    .isEqualTo(expected);
                        }
                    }
                }
            }
        }
    }

    @Test
    void fillsOfEverySizeLeaveTheRestAlone() {
        for (int length = 0; length <= 70; length++) {
            for (int offset : new int[] {0, 1, 5, 8}) {
                memory.fill(0, CAPACITY, (byte) 1);
                memory.fill(offset, length, (byte) 0xee);
                for (int i = 0; i < 100; i++) {
                    boolean inside = i >= offset && i < offset + length;
                    assertThat(memory.getByte(i)).isEqualTo(inside ? (byte) 0xee : (byte) 1);
                }
            }
        }
    }

    @Test
    void bytesGoToAndFromArraysAndBuffers() {
        byte[] source = new RandomSource(2).bytes(300);
        for (ByteBuffer buffer :
                List.of(ByteBuffer.allocate(400), ByteBuffer.allocateDirect(400))) {
            memory.putBytes(3, source, 10, 290);
            memory.getBytes(3, buffer.clear().position(7), 290);
            assertThat(buffer.position()).isEqualTo(297);
            memory.fill(0, CAPACITY, (byte) 0);
            memory.putBytes(501, buffer.position(7), 290);
            assertThat(buffer.position()).isEqualTo(297);
            byte[] target = new byte[300];
            memory.getBytes(501, target, 10, 290);
            assertThat(Arrays.copyOfRange(target, 10, 300))
                    .isEqualTo(Arrays.copyOfRange(source, 10, 300));
        }
    }

    @Test
    void comparisonsEqualThoseOfArrays() {
        Seeds.run(
                20,
                random -> {
                    for (int i = 0; i < 2000; i++) {
                        byte[] left = random.bytes(random.skewed(80));
                        byte[] right = left.clone();
                        if (random.oneIn(3)) {
                            right = random.bytes(random.skewed(80));
                        } else if (right.length > 0 && random.nextBoolean()) {
                            right[random.nextInt(right.length)] ^= (byte) random.between(1, 256);
                        }
                        if (random.oneIn(4)) {
                            right = Arrays.copyOf(right, random.between(0, right.length + 9));
                        }
                        assertComparisons(left, right, random.nextInt(9), random.nextInt(9));
                    }
                });
    }

    private void assertComparisons(byte[] left, byte[] right, int leftGap, int rightGap) {
        int rightStart = 512 + rightGap;
        memory.putBytes(leftGap, left, 0, left.length);
        memory.putBytes(rightStart, right, 0, right.length);
        int compared =
                OffHeapMemory.compare(
                        memory, leftGap, left.length, memory, rightStart, right.length);
        assertThat(Integer.signum(compared))
                .isEqualTo(Integer.signum(Arrays.compareUnsigned(left, right)));
        int length = Math.min(left.length, right.length);
        int mismatch = Arrays.mismatch(left, 0, length, right, 0, length);
        assertThat(OffHeapMemory.mismatch(memory, leftGap, memory, rightStart, length))
                .isEqualTo(mismatch < 0 ? length : mismatch);
        assertThat(OffHeapMemory.equal(memory, leftGap, memory, rightStart, length))
                .isEqualTo(mismatch < 0);
        BytesView leftView = new BytesView().wrap(memory, leftGap, left.length);
        BytesView rightView = BytesView.of(right);
        assertThat(Integer.signum(leftView.compare(rightView)))
                .isEqualTo(Integer.signum(Arrays.compareUnsigned(left, right)));
        assertThat(leftView.contentEquals(rightView)).isEqualTo(Arrays.equals(left, right));
        assertThat(leftView.toByteArray()).isEqualTo(left);
    }

    @Test
    void wrapsBuffersBetweenPositionAndLimit() {
        for (ByteBuffer whole : List.of(ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64))) {
            ByteBuffer sliced =
                    whole.slice(8, 48).position(5).limit(30).order(ByteOrder.BIG_ENDIAN);
            OffHeapMemory wrapped = OffHeapMemory.wrap(sliced);
            assertThat(wrapped.capacity()).isEqualTo(25);
            wrapped.putLong(1, 0x0102030405060708L);
            assertThat(whole.get(8 + 5 + 1)).isEqualTo((byte) 8);
            assertThat(sliced.position()).isEqualTo(5);
            assertThatThrownBy(() -> wrapped.getByte(25))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> wrapped.getLong(18))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            ByteBuffer view = wrapped.asByteBuffer(1, 8).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(view.getLong(0)).isEqualTo(0x0102030405060708L);
            assertThat(view.remaining()).isEqualTo(8);
            assertThatThrownBy(wrapped::free).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void wrapsHeapArrays() {
        byte[] array = new byte[20];
        OffHeapMemory wrapped = OffHeapMemory.wrap(array);
        wrapped.putInt(3, 0x01020304);
        wrapped.fill(10, 3, (byte) 9);
        memory.putLong(0, -1);
        memory.copyTo(0, wrapped, 15, 5);
        assertThat(array)
                .containsExactly(0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 9, 9, 9, 0, 0, -1, -1, -1, -1, -1);
        wrapped.copyTo(3, memory, 100, 4);
        assertThat(memory.getInt(100)).isEqualTo(0x01020304);
        assertThatThrownBy(() -> wrapped.getInt(17)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void wrapsAgronaBuffers() {
        ByteBuffer direct = ByteBuffer.allocateDirect(64);
        OffHeapMemory ofDirect = OffHeapMemory.wrap(agronaBuffer(direct, null, 8, 40));
        assertThat(ofDirect.capacity()).isEqualTo(40);
        ofDirect.putInt(36, 77);
        assertThat(direct.order(ByteOrder.LITTLE_ENDIAN).getInt(44)).isEqualTo(77);
        assertThatThrownBy(() -> ofDirect.getInt(37)).isInstanceOf(IndexOutOfBoundsException.class);

        byte[] array = new byte[64];
        OffHeapMemory ofArray = OffHeapMemory.wrap(agronaBuffer(null, array, 4, 10));
        ofArray.putByte(9, (byte) 5);
        assertThat(array[13]).isEqualTo((byte) 5);
        assertThatThrownBy(() -> ofArray.getByte(10)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void agronaBuffersWrapRegions() {
        if (MemoryBackend.active().backend() == MemoryBackend.AGRONA) {
            UnsafeBuffer buffer = new UnsafeBuffer(memory.asByteBuffer(16, 32));
            buffer.putLong(8, 99);
            assertThat(memory.getLong(24)).isEqualTo(99);
            assertThat(buffer.capacity()).isEqualTo(32);
        }
    }

    /** Agrona's own class cannot be touched without its flag, so its interface stands in for it. */
    private static DirectBuffer agronaBuffer(
            @Nullable ByteBuffer bytes, byte @Nullable [] array, int start, int capacity) {
        if (MemoryBackend.active().backend() == MemoryBackend.AGRONA) {
            return bytes != null
                    ? new UnsafeBuffer(bytes, start, capacity)
                    : new UnsafeBuffer(array, start, capacity);
        }
        Map<String, Object> answers = new HashMap<>();
        answers.put("capacity", capacity);
        answers.put("wrapAdjustment", start);
        if (bytes != null) {
            answers.put("byteBuffer", bytes);
        }
        if (array != null) {
            answers.put("byteArray", array);
        }
        return (DirectBuffer)
                Proxy.newProxyInstance(
                        OffHeapMemoryTest.class.getClassLoader(),
                        new Class<?>[] {DirectBuffer.class},
                        (proxy, method, arguments) -> answers.get(method.getName()));
    }
}
