import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.ExportFunction;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.Memory;
import com.dylibso.chicory.wasm.Parser;
import com.dylibso.chicory.wasm.WasmModule;
import java.nio.charset.StandardCharsets;

// The module in Chicory: turned into Java's bytecode when it is loaded, which its build-time compiler does earlier, or
// interpreted.
final class Chicory implements Functions {
    private final Memory memory;
    private final ExportFunction room;
    private final ExportFunction echoText;
    private final ExportFunction echoBytes;
    private final ExportFunction sortAndHash;
    private final ExportFunction writeNumbers;

    Chicory(byte[] wasm, boolean isCompiled) {
        WasmModule module = Parser.parse(wasm);
        Instance.Builder builder = Instance.builder(module).withMemoryFactory(ByteArrayMemory::new);
        if (isCompiled) {
            builder = builder.withMachineFactory(MachineFactoryCompiler::compile);
        }
        Instance instance = builder.build();
        memory = instance.memory();
        room = instance.export("rivals_in");
        echoText = instance.export("echo_text");
        echoBytes = instance.export("echo_bytes");
        sortAndHash = instance.export("sort_and_hash");
        writeNumbers = instance.export("write_numbers");
    }

    private byte[] through(ExportFunction function, byte[] value) {
        memory.write((int) room.apply(value.length)[0], value);
        int answer = (int) function.apply(value.length)[0];
        return memory.readBytes(memory.readInt(answer), memory.readInt(answer + 4));
    }

    public String echoText(String text) {
        return new String(through(echoText, text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    public byte[] echoBytes(byte[] value) {
        return through(echoBytes, value);
    }

    public long sortAndHash(long seed, int count) {
        return sortAndHash.apply(seed, count)[0];
    }

    public long writeNumbers(long seed, int count) {
        return writeNumbers.apply(seed, count)[0];
    }
}
