// What javac says about definitions, references and calls of a source tree, in the format that
// `cargo xtask truth` reads.
//
//   java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED \
//        --add-exports jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED \
//        JavaTruth.java REPO REVISION ROOT FOLDER[,FOLDER…] [CLASSPATH] | gzip -9n > REPO.json.gz
//
// FOLDERs are relative to ROOT. Nothing is executed and no class is written. Names that the
// compiler cannot resolve, since a library is missing, are written as unknown: they count neither
// way. A call through an interface or base type belongs to the method of that type.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaTruth {
    record Site(int file, int line, int column, boolean isCall, boolean isImport) {}

    record Call(int caller, int callee, int line) {}

    static final class Defined {
        String name, kind;
        int file, line, column, end;
        final Set<Site> uses = new LinkedHashSet<>();
    }

    static final List<String> files = new ArrayList<>();
    static final List<Defined> symbols = new ArrayList<>();
    static final Map<Symbol, Integer> numbers = new IdentityHashMap<>();
    static final Set<Call> calls = new LinkedHashSet<>();
    static final Map<String, Set<List<Integer>>> unknown = new TreeMap<>();

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[2]).toAbsolutePath().normalize();
        List<Path> sources = new ArrayList<>();
        for (String folder : args[3].split(",")) {
            try (Stream<Path> found = Files.walk(root.resolve(folder))) {
                found.filter(path -> path.toString().endsWith(".java") && !path.endsWith("module-info.java")).sorted().forEach(sources::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        // Attribution goes on after errors.
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-implicit:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "0"));
        if (args.length > 4) options.addAll(List.of("-classpath", args[4]));
        JavacTask task = (JavacTask) compiler.getTask(new StringWriter(), manager, problem -> {}, options, null, manager.getJavaFileObjectsFromPaths(sources));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) files.add(root.relativize(Path.of(unit.getSourceFile().toUri())).toString());
        for (int pass = 0; pass < 2; pass++) {
            for (int file = 0; file < units.size(); file++) new Scanner(task, units.get(file), file, pass == 0).scan(units.get(file), null);
        }
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        write(out, args[0], args[1]);
        out.flush();
        int uses = symbols.stream().mapToInt(symbol -> symbol.uses.size()).sum();
        int open = unknown.values().stream().mapToInt(Set::size).sum();
        System.err.println(args[0] + ": " + files.size() + " files, " + symbols.size() + " symbols, " + uses + " references, " + calls.size() + " calls, " + open + " unresolved");
    }

    /** Collects definitions first, then what names mean. */
    static final class Scanner extends TreePathScanner<Void, Void> {
        final Trees trees;
        final SourcePositions positions;
        final CompilationUnitTree unit;
        final LineMap lines;
        final CharSequence text;
        final int file;
        final boolean defines;
        boolean isImport;
        final Set<Tree> called = Collections.newSetFromMap(new IdentityHashMap<>());
        /** The class names after `new`, with the constructors that are called. */
        final Map<Tree, Symbol> made = new IdentityHashMap<>();

        Scanner(JavacTask task, CompilationUnitTree unit, int file, boolean defines) throws IOException {
            trees = Trees.instance(task);
            positions = trees.getSourcePositions();
            this.unit = unit;
            this.file = file;
            this.defines = defines;
            lines = unit.getLineMap();
            text = unit.getSourceFile().getCharContent(true);
        }

        int line(int at) {
            return (int) lines.getLineNumber(at);
        }

        /** Columns count bytes of UTF-8, from 1. */
        int column(int at) {
            int start = at;
            while (start > 0 && text.charAt(start - 1) != '\n') start--;
            return text.subSequence(start, at).toString().getBytes(StandardCharsets.UTF_8).length + 1;
        }

        void define(Tree tree, Symbol symbol, String name, String kind) {
            int at = ((JCTree) tree).pos;
            int end = (int) positions.getEndPosition(unit, tree);
            while (at >= 0 && at + name.length() <= text.length() && !isWord(at, name)) at++;
            if (!defines || symbol == null || at < 0 || at + name.length() > text.length() || end < 0 || at > end) return;
            Defined found = new Defined();
            found.name = name;
            found.kind = kind;
            found.file = file;
            found.line = line(at);
            found.column = column(at);
            found.end = line(end);
            numbers.put(symbol.baseSymbol(), symbols.size());
            symbols.add(found);
        }

        boolean isWord(int at, String name) {
            return text.subSequence(at, at + name.length()).toString().equals(name)
                && (at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1)))
                && (at + name.length() == text.length() || !Character.isJavaIdentifierPart(text.charAt(at + name.length())));
        }

        @Override public Void visitClass(ClassTree tree, Void none) {
            String name = tree.getSimpleName().toString();
            if (!name.isEmpty()) {
                String kind = switch (tree.getKind()) { case INTERFACE -> "interface"; case ENUM -> "enum"; case ANNOTATION_TYPE -> "interface"; default -> "class"; };
                define(tree, ((JCTree.JCClassDecl) tree).sym, name, kind);
            }
            return super.visitClass(tree, none);
        }

        @Override public Void visitMethod(MethodTree tree, Void none) {
            Symbol symbol = ((JCTree.JCMethodDecl) tree).sym;
            boolean isMade = tree.getName().contentEquals("<init>");
            // Constructors that nobody wrote have the place of their class.
            boolean isWritten = symbol != null && (symbol.flags() & com.sun.tools.javac.code.Flags.GENERATEDCONSTR) == 0;
            if (isWritten) define(tree, symbol, isMade ? symbol.owner.getSimpleName().toString() : tree.getName().toString(), isMade ? "constructor" : "method");
            return super.visitMethod(tree, none);
        }

        @Override public Void visitVariable(VariableTree tree, Void none) {
            Symbol symbol = ((JCTree.JCVariableDecl) tree).sym;
            if (symbol != null && symbol.owner.getKind() != null && (symbol.owner.getKind().isClass() || symbol.owner.getKind().isInterface())) {
                define(tree, symbol, tree.getName().toString(), symbol.getKind() == ElementKind.ENUM_CONSTANT ? "enum_member" : "field");
            }
            return super.visitVariable(tree, none);
        }

        @Override public Void visitImport(ImportTree tree, Void none) {
            isImport = true;
            super.visitImport(tree, none);
            isImport = false;
            return null;
        }

        @Override public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
            called.add(tree.getMethodSelect());
            return super.visitMethodInvocation(tree, none);
        }

        @Override public Void visitNewClass(NewClassTree tree, Void none) {
            Tree name = tree.getIdentifier();
            while (true) {
                if (name instanceof ParameterizedTypeTree generic) name = generic.getType();
                else if (name instanceof AnnotatedTypeTree annotated) name = annotated.getUnderlyingType();
                else break;
            }
            Symbol constructor = ((JCTree.JCNewClass) tree).constructor;
            if (constructor != null && tree.getClassBody() == null) made.put(name, constructor.baseSymbol());
            called.add(name);
            return super.visitNewClass(tree, none);
        }

        @Override public Void visitIdentifier(IdentifierTree tree, Void none) {
            String name = tree.getName().toString();
            if (!name.equals("this") && !name.equals("super")) use(tree, ((JCTree.JCIdent) tree).sym, name, ((JCTree) tree).pos);
            return super.visitIdentifier(tree, none);
        }

        @Override public Void visitMemberSelect(MemberSelectTree tree, Void none) {
            String name = tree.getIdentifier().toString();
            int end = (int) positions.getEndPosition(unit, tree);
            boolean isName = !name.equals("class") && !name.equals("this") && !name.equals("super") && !name.equals("*");
            if (isName) use(tree, ((JCTree.JCFieldAccess) tree).sym, name, end - name.length());
            return super.visitMemberSelect(tree, none);
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void none) {
            String name = tree.getName().toString();
            int end = (int) positions.getEndPosition(unit, tree);
            if (!name.equals("<init>")) use(tree, ((JCTree.JCMemberReference) tree).sym, name, end - name.length());
            return super.visitMemberReference(tree, none);
        }

        void use(Tree tree, Symbol symbol, String name, int at) {
            if (defines || at < 0 || at + name.length() > text.length() || !isWord(at, name)) return;
            int line = line(at), column = column(at);
            boolean isMissing = symbol == null || symbol.type == null || symbol.type.isErroneous() && !numbers.containsKey(symbol.baseSymbol());
            // A package that a missing library would declare is no symbol here.
            if (isMissing) {
                unknown.computeIfAbsent(name, key -> new LinkedHashSet<>()).add(List.of(file, line, column));
                return;
            }
            boolean isCall = called.contains(tree);
            note(symbol.baseSymbol(), line, column, isCall);
            Symbol constructor = made.get(tree);
            if (constructor != null) note(constructor, line, column, true);
        }

        void note(Symbol symbol, int line, int column, boolean isCall) {
            Integer number = numbers.get(symbol);
            if (number == null) return;
            symbols.get(number).uses.add(new Site(file, line, column, isCall, isImport));
            Integer caller = caller();
            if (isCall && caller != null) calls.add(new Call(caller, number, line));
        }

        /** The innermost method around the place; methods of classes without a name among them. */
        Integer caller() {
            for (TreePath path = getCurrentPath(); path != null; path = path.getParentPath()) {
                if (path.getLeaf() instanceof JCTree.JCMethodDecl method && method.sym != null) {
                    Integer number = numbers.get(method.sym);
                    if (number != null) return number;
                }
            }
            return null;
        }
    }

    static void write(PrintStream out, String repository, String revision) {
        out.print("{\"repo\":" + quoted(repository) + ",\"rev\":" + quoted(revision) + ",\"language\":\"java\",\"files\":[");
        out.print(files.stream().map(JavaTruth::quoted).collect(Collectors.joining(",")));
        out.print("],\"symbols\":[");
        for (int number = 0; number < symbols.size(); number++) {
            Defined symbol = symbols.get(number);
            out.print((number == 0 ? "" : ",") + "{\"id\":" + number + ",\"name\":" + quoted(symbol.name) + ",\"kind\":" + quoted(symbol.kind));
            out.print(",\"def\":{\"path\":" + quoted(files.get(symbol.file)) + ",\"line\":" + symbol.line + ",\"col\":" + symbol.column + ",\"end_line\":" + symbol.end + "}");
            if (isTest(symbol.file)) out.print(",\"test\":true");
            out.print(",\"refs\":[" + symbol.uses.stream().map(JavaTruth::site).collect(Collectors.joining(",")) + "]}");
        }
        out.print("],\"edges\":[");
        out.print(calls.stream().map(call -> "{\"caller\":" + call.caller() + ",\"callee\":" + call.callee() + ",\"line\":" + call.line() + ",\"is_call\":true}").collect(Collectors.joining(",")));
        out.print("],\"unknown\":{");
        out.print(unknown.entrySet().stream().map(entry -> quoted(entry.getKey()) + ":" + entry.getValue()).collect(Collectors.joining(",")));
        out.println("}}");
    }

    static String site(Site site) {
        String flags = (site.isCall() ? ",\"is_call\":true" : "") + (site.isImport() ? ",\"import\":true" : "") + (isTest(site.file()) ? ",\"test\":true" : "");
        return "{\"path\":" + quoted(files.get(site.file())) + ",\"line\":" + site.line() + ",\"col\":" + site.column() + flags + "}";
    }

    static boolean isTest(int file) {
        return files.get(file).contains("/test/");
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
