package local.tierup.witness;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * The fields that watched methods use, in a class of the JVM's own package {@code java.lang}: every class finds it
 * there, whatever its loader and module. This class generates the code that reads them.
 */
final class Holder {
    private static final String NAME = "java/lang/TierupCalls";
    private static final String COUNTS = "COUNTS";
    private static final String ENTERING = "ENTERING";
    private static final String LEAVING = "LEAVING";
    private static final Type ARRAY = Type.getType(AtomicLongArray.class);
    private static final Type CONSUMER = Type.getType(BiConsumer.class);
    private static final Type OBJECT = Type.getType(Object.class);

    /** The wrapper classes of primitive types. */
    private static final Map<Integer, String> BOXES = Map.of(
            Type.BOOLEAN, "java/lang/Boolean",
            Type.CHAR, "java/lang/Character",
            Type.BYTE, "java/lang/Byte",
            Type.SHORT, "java/lang/Short",
            Type.INT, "java/lang/Integer",
            Type.LONG, "java/lang/Long",
            Type.FLOAT, "java/lang/Float",
            Type.DOUBLE, "java/lang/Double");

    private Holder() {}

    static void define(
            Instrumentation instrumentation,
            AtomicLongArray counts,
            BiConsumer<Integer, Object[]> entering,
            BiConsumer<Integer, Object> leaving)
            throws ReflectiveOperationException {
        Module base = Object.class.getModule();
        Map<String, Set<Module>> opened = Map.of("java.lang", Set.of(Holder.class.getModule()));
        instrumentation.redefineModule(base, Set.of(), Map.of(), opened, Set.of(), Map.of());
        Class<?> holder = MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(code());
        holder.getField(COUNTS).set(null, counts);
        holder.getField(ENTERING).set(null, entering);
        holder.getField(LEAVING).set(null, leaving);
    }

    private static byte[] code() {
        ClassWriter holder = new ClassWriter(0);
        int kind = Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
        holder.visit(Opcodes.V11, kind, NAME, null, OBJECT.getInternalName(), null);
        int field = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_VOLATILE;
        holder.visitField(field, COUNTS, ARRAY.getDescriptor(), null, null).visitEnd();
        holder.visitField(field, ENTERING, CONSUMER.getDescriptor(), null, null).visitEnd();
        holder.visitField(field, LEAVING, CONSUMER.getDescriptor(), null, null).visitEnd();
        holder.visitEnd();
        return holder.toByteArray();
    }

    /** Adds code that counts a call to a method. */
    static void count(MethodVisitor code, int place) {
        code.visitFieldInsn(Opcodes.GETSTATIC, NAME, COUNTS, ARRAY.getDescriptor());
        code.visitIntInsn(Opcodes.SIPUSH, place);
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, ARRAY.getInternalName(), "incrementAndGet", "(I)J", false);
        code.visitInsn(Opcodes.POP2);
    }

    /** Adds code that notes the arguments of a static method with these types. */
    static void enter(MethodVisitor code, int place, Type[] arguments) {
        consumer(code, ENTERING, place);
        code.visitIntInsn(Opcodes.SIPUSH, arguments.length);
        code.visitTypeInsn(Opcodes.ANEWARRAY, OBJECT.getInternalName());
        int local = 0;
        for (int number = 0; number < arguments.length; number++) {
            code.visitInsn(Opcodes.DUP);
            code.visitIntInsn(Opcodes.SIPUSH, number);
            code.visitVarInsn(arguments[number].getOpcode(Opcodes.ILOAD), local);
            box(code, arguments[number]);
            code.visitInsn(Opcodes.AASTORE);
            local += arguments[number].getSize();
        }
        accept(code);
    }

    /** Adds code that notes the answer, an object on the stack, and leaves it there. */
    static void leave(MethodVisitor code, int place) {
        code.visitInsn(Opcodes.DUP);
        consumer(code, LEAVING, place);
        // The answer must be above the place on the stack.
        code.visitInsn(Opcodes.DUP2_X1);
        code.visitInsn(Opcodes.POP2);
        accept(code);
    }

    private static void consumer(MethodVisitor code, String name, int place) {
        code.visitFieldInsn(Opcodes.GETSTATIC, NAME, name, CONSUMER.getDescriptor());
        code.visitIntInsn(Opcodes.SIPUSH, place);
        box(code, Type.INT_TYPE);
    }

    private static void accept(MethodVisitor code) {
        String descriptor = Type.getMethodDescriptor(Type.VOID_TYPE, OBJECT, OBJECT);
        code.visitMethodInsn(Opcodes.INVOKEINTERFACE, CONSUMER.getInternalName(), "accept", descriptor, true);
    }

    /** Wraps the value on the stack in an object. */
    private static void box(MethodVisitor code, Type type) {
        String name = BOXES.get(type.getSort());
        if (name != null) {
            String descriptor = "(" + type.getDescriptor() + ")L" + name + ";";
            code.visitMethodInsn(Opcodes.INVOKESTATIC, name, "valueOf", descriptor, false);
        }
    }
}
