package local.tierup.witness;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Makes the watched methods count and note their calls when the JVM loads their classes. It changes no other class. */
final class Counting implements ClassFileTransformer {
    private static final int API = Opcodes.ASM9;

    private final Counters counters;

    Counting(Counters counters) {
        this.counters = counters;
    }

    /** Returns null for a class that stays as it is. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] code) {
        // The JVM's own classes have no loader.
        if (loader == null || name == null || !isWatched(name)) {
            return null;
        }
        try {
            ClassReader reader = new ClassReader(code);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Methods(writer, name), 0);
            return writer.toByteArray();
        } catch (Throwable error) {
            // The class file is newer than ASM, or a method has no room for one more instruction.
            return null;
        }
    }

    private static boolean isWatched(String name) {
        for (Watched watched : Watched.ALL) {
            if (watched.className.equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** The methods of a watched class. */
    private final class Methods extends ClassVisitor {
        private final String className;

        Methods(ClassVisitor next, String className) {
            super(API, next);
            this.className = className;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String generic, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, generic, thrown);
            // A bridge only calls the source's method of the same name.
            if ((access & Opcodes.ACC_BRIDGE) == 0) {
                for (Watched watched : Watched.ALL) {
                    if (watched.className.equals(className) && watched.name.equals(name)) {
                        method = counted(method, watched, (access & Opcodes.ACC_STATIC) != 0, descriptor);
                    }
                }
            }
            return method;
        }

        private MethodVisitor counted(MethodVisitor method, Watched watched, boolean isStatic, String descriptor) {
            Counters.Method counter = counters.of(watched, descriptor);
            if (counter == null) {
                return method;
            }
            MethodVisitor counted = new Counted(method, counter);
            // Only static methods can move to Rust as they are.
            return Watched.CALLS && isStatic ? new Noted(counted, counter.place, descriptor) : counted;
        }
    }

    /** A method that counts its calls. {@code visitCode} is not called for methods without code. */
    private final class Counted extends MethodVisitor {
        private final Counters.Method counter;

        Counted(MethodVisitor next, Counters.Method counter) {
            super(API, next);
            this.counter = counter;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            Holder.count(this, counter.place);
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            super.visitLineNumber(line, start);
            counters.line(counter, line);
        }
    }

    /** A static method whose calls are noted. */
    private static final class Noted extends MethodVisitor {
        private final int place;
        private final String descriptor;

        Noted(MethodVisitor next, int place, String descriptor) {
            super(API, next);
            this.place = place;
            this.descriptor = descriptor;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            Holder.enter(this, place, Type.getArgumentTypes(descriptor));
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.ARETURN) {
                Holder.leave(this, place);
            }
            super.visitInsn(opcode);
        }
    }
}
