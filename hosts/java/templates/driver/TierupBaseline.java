// Made by tierup; the same in every package. Do not edit.
package {{package}};

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;

/** The server's own functions. tierup.toml names a class that has them all, or {@code Class::method}. */
final class TierupBaseline {
    private TierupBaseline() {}

    static Functions named(String name) {
        String[] parts = name.split("::", -1);
        try {
            Class<?> owner = Class.forName(parts[0]);
            if (parts.length == 1) {
                return all(owner);
            }
            if (parts.length == 2) {
                return one(owner, parts[1]);
            }
        } catch (ClassNotFoundException e) {
            throw wrong(name, "there is no class " + parts[0] + " in the server's target/classes");
        } catch (ReflectiveOperationException e) {
            throw wrong(name, e.toString());
        }
        throw wrong(name, "write Class::method, or the name of a class that implements Functions");
    }

    private static Functions all(Class<?> owner) throws ReflectiveOperationException {
        if (!Functions.class.isAssignableFrom(owner)) {
            throw wrong(owner.getName(), "it does not implement Functions: write Class::method for one of its methods");
        }
        return (Functions) instance(owner);
    }

    private static Object instance(Class<?> owner) throws ReflectiveOperationException {
        var constructor = owner.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** The function of this name, or the only one. */
    private static Functions one(Class<?> owner, String name) throws ReflectiveOperationException {
        List<Method> functions = Arrays.stream(Functions.class.getMethods()).filter(method -> !method.isSynthetic()).toList();
        Method function = functions.stream().filter(method -> method.getName().equals(name)).findFirst()
                .orElseGet(() -> functions.size() == 1 ? functions.get(0) : null);
        if (function == null) {
            throw wrong(owner.getName() + "::" + name, "the package has no function " + name);
        }
        Method own = Arrays.stream(owner.getDeclaredMethods()).filter(method -> method.getName().equals(name))
                .filter(method -> Arrays.equals(method.getParameterTypes(), function.getParameterTypes()))
                .filter(method -> method.getReturnType().equals(function.getReturnType())).findFirst()
                .orElseThrow(() -> wrong(owner.getName() + "::" + name, "there is no such method with the signature of " + function));
        own.setAccessible(true);
        Object target = Modifier.isStatic(own.getModifiers()) ? null : instance(owner);
        return (Functions) Proxy.newProxyInstance(Functions.class.getClassLoader(), new Class<?>[] {Functions.class},
                (proxy, called, arguments) -> {
                    if (!called.getName().equals(function.getName())) {
                        throw Binding.missing(called.getName());
                    }
                    try {
                        return own.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static UnavailableException wrong(String name, String why) {
        return new UnavailableException("the baseline `" + name + "` cannot be called: " + why, null);
    }
}
