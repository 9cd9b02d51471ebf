// What Roslyn says about definitions, references and calls of a C# tree, in the format that
// `cargo xtask truth` reads. `csharp_truth.py` compiles and starts it.
//
//   REPO REVISION ROOT FOLDER[,FOLDER…] [-d SYMBOL[,SYMBOL…]] [-u NAMESPACE[,NAMESPACE…]] [-r FOLDER[,FOLDER…]]
//
// FOLDERs are relative to ROOT. -d gives the symbols of conditions, -u namespaces that are imported
// everywhere, -r folders with the assemblies of libraries. Names that the compiler cannot resolve
// (a library is missing, a value is dynamic, a condition leaves the code out) are written as
// unknown: they count neither way. A call through an interface or base type belongs to the method of
// that type. Names in comments are no uses. A constructor's call is a use of its class as well.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

public static class CsharpTruth
{
    sealed class Defined
    {
        public string Name, Kind;
        public List<(int File, int Line, int Column, int End)> Places = new List<(int, int, int, int)>();
        public SortedDictionary<(int File, int Line, int Column), (bool IsCall, bool IsImport)> Uses = new SortedDictionary<(int, int, int), (bool, bool)>();
    }

    static readonly List<string> files = new List<string>();
    static readonly List<Defined> symbols = new List<Defined>();
    static readonly Dictionary<ISymbol, int> numbers = new Dictionary<ISymbol, int>(SymbolEqualityComparer.Default);
    static readonly SortedSet<(int Caller, int Callee, int Line)> calls = new SortedSet<(int, int, int)>();
    static readonly SortedDictionary<string, SortedSet<(int, int, int)>> unknown = new SortedDictionary<string, SortedSet<(int, int, int)>>(StringComparer.Ordinal);

    /** The folder of the runtime's libraries, the file to write, and what is said above. */
    public static void Main(string[] words)
    {
        string framework = words[0], output = words[1];
        string[] args = words.Skip(2).ToArray();
        string repository = args[0], revision = args[1], root = Path.GetFullPath(args[2]) + "/";
        var options = new Dictionary<string, string[]>();
        for (int at = 4; at + 1 < args.Length; at += 2) options[args[at]] = args[at + 1].Split(new[] { ',', ';' }, StringSplitOptions.RemoveEmptyEntries);
        string[] Option(string name) => options.TryGetValue(name, out var value) ? value : new string[0];
        var paths = args[3].Split(',').SelectMany(folder => Directory.EnumerateFiles(Path.Combine(root, folder), "*.cs", SearchOption.AllDirectories)).Distinct().OrderBy(path => path, StringComparer.Ordinal).ToList();
        var parse = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None, SourceCodeKind.Regular, Option("-d"));
        var trees = paths.Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), parse, path)).ToList();
        files.AddRange(paths.Select(path => path.Substring(root.Length)));
        var usings = string.Concat(Option("-u").Select(name => $"global using {name};\n"));
        var assemblies = new[] { framework }.Concat(Option("-r")).SelectMany(folder => Directory.EnumerateFiles(folder, "*.dll")).Where(IsManaged);
        var compilation = CSharpCompilation.Create("truth", trees.Append(CSharpSyntaxTree.ParseText(usings, parse)),
            assemblies.Select(path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, metadataImportOptions: MetadataImportOptions.Public));
        var errors = compilation.GetDiagnostics().Where(problem => problem.Severity == DiagnosticSeverity.Error).ToList();
        foreach (var group in errors.GroupBy(problem => problem.Id).OrderByDescending(group => group.Count()).Take(6)) Console.Error.WriteLine($"{group.Count()} errors {group.Key}: {group.First()}");
        var models = trees.Select(tree => compilation.GetSemanticModel(tree)).ToList();
        for (int file = 0; file < trees.Count; file++) Define(models[file], trees[file], file);
        for (int file = 0; file < trees.Count; file++) Use(models[file], trees[file], file);
        var names = new HashSet<string>(symbols.Select(symbol => symbol.Name));
        for (int file = 0; file < trees.Count; file++) LeftOut(trees[file], file, names);
        foreach (var symbol in symbols) foreach (var place in symbol.Places) symbol.Uses.Remove((place.File, place.Line, place.Column));
        using (var writer = new StreamWriter(output, false, new UTF8Encoding(false))) Write(writer, repository, revision);
        Console.Error.WriteLine($"{repository}: {files.Count} files, {symbols.Count} symbols, {symbols.Sum(symbol => symbol.Uses.Count)} references, {calls.Count} calls, {unknown.Sum(name => name.Value.Count)} unresolved, {errors.Count} errors");
    }

    static bool IsManaged(string path)
    {
        try { System.Reflection.AssemblyName.GetAssemblyName(path); return true; } catch (BadImageFormatException) { return false; }
    }

    /** The symbol that all uses of a generic, an extension or a part of a partial method share. */
    static ISymbol Base(ISymbol symbol)
    {
        if (symbol is IMethodSymbol method)
        {
            method = method.ReducedFrom ?? method;
            method = method.PartialDefinitionPart ?? method;
            if (method.AssociatedSymbol != null) return Base(method.AssociatedSymbol);
            return method.OriginalDefinition;
        }
        return symbol.OriginalDefinition;
    }

    /** Line and column of a place; columns count bytes of UTF-8, from 1. */
    static (int Line, int Column) Place(SyntaxTree tree, int at)
    {
        var line = tree.GetText().Lines.GetLineFromPosition(at);
        string before = line.ToString().Substring(0, at - line.Start);
        // The mark at the start of a file takes three bytes, but is no text.
        return (line.LineNumber + 1, Encoding.UTF8.GetByteCount(before) + 1);
    }

    static void Define(SemanticModel model, SyntaxTree tree, int file)
    {
        foreach (var node in tree.GetRoot().DescendantNodes())
        {
            var (name, kind, all) = Declared(node);
            if (kind == null) continue;
            ISymbol symbol = model.GetDeclaredSymbol(node);
            if (node is ParameterSyntax parameter)
            {
                // A record's parameter is a property.
                if (!(parameter.Parent?.Parent is RecordDeclarationSyntax record)) continue;
                symbol = model.GetDeclaredSymbol(record)?.GetMembers(name.ValueText).OfType<IPropertySymbol>().FirstOrDefault();
            }
            if (symbol == null || name.ValueText == "") continue;
            symbol = Base(symbol);
            if (!numbers.TryGetValue(symbol, out int number))
            {
                numbers[symbol] = number = symbols.Count;
                symbols.Add(new Defined { Name = name.ValueText, Kind = kind });
            }
            var (line, column) = Place(tree, name.SpanStart + (name.Text.StartsWith("@") ? 1 : 0));
            symbols[number].Places.Add((file, line, column, Place(tree, all.Span.End).Line));
        }
    }

    static (SyntaxToken, string, SyntaxNode) Declared(SyntaxNode node)
    {
        switch (node)
        {
            case EnumDeclarationSyntax one: return (one.Identifier, "enum", node);
            case InterfaceDeclarationSyntax one: return (one.Identifier, "interface", node);
            case StructDeclarationSyntax one: return (one.Identifier, "struct", node);
            case BaseTypeDeclarationSyntax one: return (one.Identifier, "class", node);
            case DelegateDeclarationSyntax one: return (one.Identifier, "type", node);
            case MethodDeclarationSyntax one: return (one.Identifier, "method", node);
            case ConstructorDeclarationSyntax one: return (one.Identifier, "constructor", node);
            case LocalFunctionStatementSyntax one: return (one.Identifier, "function", node);
            case PropertyDeclarationSyntax one: return (one.Identifier, "property", node);
            case EventDeclarationSyntax one: return (one.Identifier, "field", node);
            case EnumMemberDeclarationSyntax one: return (one.Identifier, "enum_member", node);
            case VariableDeclaratorSyntax one when one.Parent.Parent is BaseFieldDeclarationSyntax: return (one.Identifier, "field", one.Parent.Parent);
            case ParameterSyntax one: return (one.Identifier, "property", node);
            default: return (default, null, null);
        }
    }

    static void Use(SemanticModel model, SyntaxTree tree, int file)
    {
        foreach (var node in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            string name = node.Identifier.ValueText;
            if (node.Identifier.IsMissing || name == "_" || node.Parent is NameColonSyntax || node.Parent is NameEqualsSyntax named && named.Parent is AnonymousObjectMemberDeclaratorSyntax) continue;
            if (node is IdentifierNameSyntax { IsVar: true }) continue;
            var (line, column) = Place(tree, node.Identifier.SpanStart + (node.Identifier.Text.StartsWith("@") ? 1 : 0));
            // The whole expression that the name ends: `a.b` in `a.b()`.
            SyntaxNode whole = node;
            while (whole.Parent is MemberAccessExpressionSyntax access && access.Name == whole || whole.Parent is MemberBindingExpressionSyntax
                || whole.Parent is QualifiedNameSyntax qualified && qualified.Right == whole || whole.Parent is AliasQualifiedNameSyntax) whole = whole.Parent;
            bool isCall = whole.Parent is InvocationExpressionSyntax invocation && invocation.Expression == whole;
            bool isImport = node.FirstAncestorOrSelf<UsingDirectiveSyntax>() != null;
            var info = model.GetSymbolInfo(node);
            var symbol = info.Symbol;
            if (symbol == null && info.CandidateSymbols.Length > 0 && info.CandidateReason == CandidateReason.MemberGroup)
            {
                var groups = info.CandidateSymbols.Select(Base).Distinct(SymbolEqualityComparer.Default).ToList();
                if (groups.Count == 1) symbol = groups[0];
            }
            if (symbol == null || symbol.Kind == SymbolKind.ErrorType)
            {
                if (name == "nameof") continue;
                Open(name, file, line, column);
                continue;
            }
            if (symbol is INamespaceSymbol || symbol.Kind == SymbolKind.Local || symbol.Kind == SymbolKind.Parameter || symbol.Kind == SymbolKind.TypeParameter) continue;
            if (whole.Parent is ObjectCreationExpressionSyntax creation && creation.Type == whole)
            {
                var made = model.GetSymbolInfo(creation).Symbol;
                Note(symbol, file, line, column, true, isImport, node, model);
                if (made != null) Note(made, file, line, column, true, isImport, node, model);
                continue;
            }
            if (symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor)
            {
                // The name of an attribute.
                Note(constructor, file, line, column, true, isImport, node, model);
                symbol = constructor.ContainingType;
            }
            Note(symbol, file, line, column, isCall, isImport, node, model);
        }
    }

    static void Open(string name, int file, int line, int column)
    {
        if (!unknown.TryGetValue(name, out var places)) unknown[name] = places = new SortedSet<(int, int, int)>();
        places.Add((file, line, column));
    }

    static void Note(ISymbol symbol, int file, int line, int column, bool isCall, bool isImport, SyntaxNode node, SemanticModel model)
    {
        if (!numbers.TryGetValue(Base(symbol), out int number)) return;
        symbols[number].Uses[(file, line, column)] = (isCall, isImport);
        if (!isCall) return;
        foreach (var around in node.Ancestors())
        {
            if (!(around is BaseMethodDeclarationSyntax || around is LocalFunctionStatementSyntax)) continue;
            var caller = model.GetDeclaredSymbol(around);
            if (caller == null || !numbers.TryGetValue(Base(caller), out int from)) continue;
            calls.Add((from, number, line));
            return;
        }
    }

    /** Names of symbols in code that conditions leave out. */
    static void LeftOut(SyntaxTree tree, int file, HashSet<string> names)
    {
        foreach (var trivia in tree.GetRoot().DescendantTrivia().Where(trivia => trivia.IsKind(SyntaxKind.DisabledTextTrivia)))
        {
            foreach (Match word in Regex.Matches(trivia.ToString(), @"[\p{L}_]\w*"))
            {
                if (!names.Contains(word.Value)) continue;
                var (line, column) = Place(tree, trivia.SpanStart + word.Index);
                Open(word.Value, file, line, column);
            }
        }
    }

    static bool IsTest(int file) => Regex.IsMatch(files[file], @"(^|[/.])[Tt]ests?(/|\.)");

    static void Write(TextWriter to, string repository, string revision)
    {
        to.Write($"{{\"repo\":{Quoted(repository)},\"rev\":{Quoted(revision)},\"language\":\"csharp\",\"files\":[{string.Join(",", files.Select(Quoted))}],\"symbols\":[");
        for (int number = 0; number < symbols.Count; number++)
        {
            var symbol = symbols[number];
            string Spot((int File, int Line, int Column, int End) place) => $"{{\"path\":{Quoted(files[place.File])},\"line\":{place.Line},\"col\":{place.Column},\"end_line\":{place.End}}}";
            to.Write($"{(number == 0 ? "" : ",")}{{\"id\":{number},\"name\":{Quoted(symbol.Name)},\"kind\":\"{symbol.Kind}\",\"def\":{Spot(symbol.Places[0])}");
            if (symbol.Places.Count > 1) to.Write($",\"defs\":[{string.Join(",", symbol.Places.Select(Spot))}]");
            if (IsTest(symbol.Places[0].File)) to.Write(",\"test\":true");
            var uses = symbol.Uses.Select(use => $"{{\"path\":{Quoted(files[use.Key.File])},\"line\":{use.Key.Line},\"col\":{use.Key.Column}{(use.Value.IsCall ? ",\"is_call\":true" : "")}{(use.Value.IsImport ? ",\"import\":true" : "")}{(IsTest(use.Key.File) ? ",\"test\":true" : "")}}}");
            to.Write($",\"refs\":[{string.Join(",", uses)}]}}");
        }
        to.Write($"],\"edges\":[{string.Join(",", calls.Select(call => $"{{\"caller\":{call.Caller},\"callee\":{call.Callee},\"line\":{call.Line},\"is_call\":true}}"))}],\"unknown\":{{");
        to.Write(string.Join(",", unknown.Select(name => $"{Quoted(name.Key)}:[{string.Join(",", name.Value.Select(place => $"[{place.Item1},{place.Item2},{place.Item3}]"))}]")));
        to.WriteLine("}}");
    }

    static string Quoted(string text) => "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
}
