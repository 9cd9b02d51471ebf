# What the Elixir compiler says about definitions, references and calls of a library, in the format
# that `cargo xtask truth` reads.
#
#   elixir [-pa EBIN…] elixir_truth.exs REPO REVISION ROOT FILES [LIBRARIES [START]] | gzip -9n > REPO.json.gz
#
# FILES are globs relative to ROOT, separated by commas: they are compiled (into a folder for temporary files) while a tracer
# of the compiler notes each use of a function, a macro and a module's name. Files that end in .exs
# (tests) are compiled after the others. LIBRARIES are globs of the sources of other packages that
# the files need; they are compiled first and not noted. Libraries in Erlang are given with -pa.
# START is code that is evaluated before the scripts, such as `Ecto.Application.start(:normal, [])`.
#
# Symbols are modules, protocols, and functions and macros by module, name and arity; all clauses
# are places of one symbol, and arities that a default argument makes are the same symbol.
# A use is written if its column is known and the name stands there. What macros generate has the
# line of their use and no column: names on such a line are written as unknown (they count neither
# way), as are names in `quote`, in specs and callbacks, and calls on a value that may be a module.

defmodule ElixirTruth.Tracer do
  def trace({kind, meta, module, name, arity}, env)
      when kind in [:remote_function, :remote_macro, :imported_function, :imported_macro],
      do: note(kind, meta, {module, name, arity}, env)

  def trace({kind, meta, name, arity}, env) when kind in [:local_function, :local_macro],
    do: note(kind, meta, {env.module, name, arity}, env)

  def trace({:alias_reference, meta, module}, env), do: note(:alias_reference, meta, module, env)
  def trace({:struct_expansion, meta, module, _}, env), do: note(:struct_expansion, meta, module, env)
  def trace({:alias_expansion, meta, name, module}, env), do: note({:alias_expansion, name}, meta, module, env)

  def trace({:import, meta, module, options}, env) do
    for {key, list} when key in [:only, :except] and is_list(list) <- options, {name, arity} <- list do
      note(:import, meta, {module, name, arity}, env)
    end

    :ok
  end

  def trace({:on_module, code, _}, env) do
    :ets.insert(:truth_modules, {env.module, env.file, env.line, code})
    :ok
  end

  def trace(_, _), do: :ok

  defp note(kind, meta, target, env) do
    :ets.insert(:truth_events, {{kind, meta, target, env.file, env.module, env.function}})
    :ok
  end
end

defmodule ElixirTruth do
  @specs [:spec, :callback, :macrocallback, :type, :typep, :opaque, :optional_callbacks, :dialyzer, :compile, :deprecated, :doc]

  def main([repo, revision, root, files | rest]) do
    {:ok, _} = Application.ensure_all_started(:mix)
    {:ok, _} = Application.ensure_all_started(:logger)
    {:ok, _} = Application.ensure_all_started(:ex_unit)
    ExUnit.start(autorun: false)
    root = Path.expand(root)
    # Standard output is for the result: what compiled code prints goes elsewhere.
    output = Process.group_leader()
    Process.group_leader(self(), Process.whereis(:standard_error))
    Code.compiler_options(ignore_module_conflict: true)
    compile(expand(Enum.at(rest, 0, ""), "/"))
    :ets.new(:truth_events, [:named_table, :public, :set])
    :ets.new(:truth_modules, [:named_table, :public, :bag])
    Code.compiler_options(tracers: [ElixirTruth.Tracer], parser_options: [columns: true], debug_info: true)
    File.cd!(root)
    paths = expand(files, root)
    {scripts, sources} = Enum.split_with(paths, &String.ends_with?(&1, ".exs"))
    failed = compile(sources)
    Code.eval_string(Enum.at(rest, 1, ""))
    failed = failed ++ Enum.flat_map(scripts, &compile([&1]))
    Code.compiler_options(tracers: [])
    write(output, repo, revision, root, paths -- failed)
  end

  defp expand(list, root) do
    Enum.uniq(for glob <- String.split(list, ",", trim: true), path <- Path.wildcard(Path.expand(glob, root)), do: path)
  end

  # Returns the files that do not compile. What is compiled is kept in a folder, since doctests read
  # documentation from there.
  defp compile([]), do: []

  defp compile(files) do
    out = Path.join(System.tmp_dir!(), "elixir_truth_#{System.pid()}")
    File.mkdir_p!(out)
    Code.prepend_path(out)

    case Kernel.ParallelCompiler.compile_to_path(files, out, return_diagnostics: false) do
      {:ok, _, _} ->
        []

      {:error, errors, _} ->
        failed = errors |> Enum.map(&elem(&1, 0)) |> Enum.uniq()
        for {file, line, text} <- errors, do: IO.puts(:stderr, "#{file}:#{inspect(line)}: #{text |> to_string() |> String.slice(0, 300)}")
        # One file that fails stops all: the others are tried again.
        if length(files) > length(failed), do: failed ++ compile(files -- failed), else: failed
    end
  end

  defp write(output, repo, revision, root, paths) do
    texts = Map.new(paths, &{&1, &1 |> File.read!() |> String.split("\n") |> List.to_tuple()})
    trees = Map.new(paths, &{&1, Code.string_to_quoted!(File.read!(&1), columns: true, token_metadata: true, file: &1)})
    ends = Map.new(trees, fn {path, tree} -> {path, definition_ends(tree)} end)
    {symbols, keys} = symbols(texts)
    events = :truth_events |> :ets.tab2list() |> Enum.map(&elem(&1, 0))
    ours = MapSet.new(for {module, file, _, _} <- :ets.tab2list(:truth_modules), is_map_key(texts, file), do: module)

    {refs, edges, seen, open} =
      Enum.reduce(events, {%{}, MapSet.new(), MapSet.new(), []}, fn event, state -> use_of(event, state, texts, keys, symbols, ours) end)

    names = symbols |> Map.values() |> MapSet.new(& &1.name)
    taken = MapSet.new(for {_, places} <- refs, {place, _} <- places, do: place)
    neutral = open ++ Enum.flat_map(trees, fn {path, tree} -> neutral(path, tree, texts[path], seen) end)
    neutral = for {name, place} <- neutral, name in names, place not in taken, uniq: true, do: {name, place}

    order = Enum.sort_by(Map.keys(symbols), fn id -> {hd(symbols[id].places), id} end)
    index = order |> Enum.with_index() |> Map.new()
    numbers = paths |> Enum.with_index() |> Map.new()
    relative = &Path.relative_to(&1, root)
    test? = &String.starts_with?(relative.(&1), "test/")

    list =
      for id <- order do
        symbol = symbols[id]
        spots = for {path, line, column} <- symbol.places, do: [path: relative.(path), line: line, col: column, end_line: Map.get(ends[path], line, line)]
        spots = Enum.map(spots, &Map.new/1)
        sites = refs |> Map.get(id, %{}) |> Enum.reject(fn {place, _} -> place in symbol.places end) |> Enum.sort()

        sites =
          for {{path, line, column}, flags} <- sites do
            Map.merge(%{path: relative.(path), line: line, col: column}, Map.merge(flags, if(test?.(path), do: %{test: true}, else: %{})))
          end

        entry = %{id: index[id], name: symbol.name, kind: symbol.kind, def: hd(spots), refs: sites}
        entry = if length(spots) > 1, do: Map.put(entry, :defs, spots), else: entry
        if test?.(elem(hd(symbol.places), 0)), do: Map.put(entry, :test, true), else: entry
      end

    calls = for {from, to, line} <- Enum.sort(edges), do: %{caller: index[from], callee: index[to], line: line, is_call: true}
    unknown = Enum.group_by(neutral, &elem(&1, 0), fn {_, {path, line, column}} -> [numbers[path], line, column] end)
    unknown = Map.new(unknown, fn {name, places} -> {name, Enum.sort(places)} end)
    truth = %{repo: repo, rev: revision, language: "elixir", files: Enum.map(paths, relative), symbols: list, edges: calls, unknown: unknown}
    IO.write(output, json(truth))
    File.rm_rf!(Path.join(System.tmp_dir!(), "elixir_truth_#{System.pid()}"))
    uses = list |> Enum.map(&length(&1.refs)) |> Enum.sum()
    IO.puts(:stderr, "#{repo}: #{length(paths)} files, #{length(list)} symbols, #{uses} references, #{length(calls)} calls, #{length(neutral)} unresolved")
  end

  # Symbols by number, and the number of each module and of each module, name and arity.
  defp symbols(texts) do
    found =
      Enum.flat_map(:ets.tab2list(:truth_modules), fn {module, file, line, code} ->
        if is_map_key(texts, file), do: module(module, file, line, texts[file]) ++ functions(module, file, code), else: []
      end)

    # What shares a place is one symbol: arities that default arguments make.
    {symbols, keys, _} =
      Enum.reduce(Enum.sort(found), {%{}, %{}, %{}}, fn {key, kind, name, places}, {symbols, keys, at} ->
        number = Enum.find_value(places, &at[&1]) || map_size(symbols)
        symbol = Map.get(symbols, number, %{name: name, kind: kind, places: []})
        symbol = %{symbol | places: Enum.uniq(Enum.sort(symbol.places ++ places))}
        at = Enum.reduce(places, at, &Map.put(&2, &1, number))
        {Map.put(symbols, number, symbol), Map.put(keys, key, number), at}
      end)

    {symbols, keys}
  end

  defp module(module, file, line, text) do
    name = module |> inspect() |> String.split(".") |> List.last()

    case Regex.run(~r/^\s*def(?:module|protocol)\s+(?:[\w.]+\.)?(#{name})\b/u, line_of(text, line), return: :index) do
      [_, {start, _}] -> [{module, "module", name, [{file, line, start + 1}]}]
      _ -> []
    end
  end

  defp functions(module, file, code) do
    with {:ok, {_, [debug_info: {:debug_info_v1, backend, data}]}} <- :beam_lib.chunks(code, [:debug_info]),
         {:ok, map} <- backend.debug_info(:elixir_v1, module, data, []) do
      for {{name, arity}, kind, meta, clauses} <- map.definitions,
          name = Atom.to_string(name),
          name =~ ~r/^[\p{L}_][\w]*[?!]?$/u,
          metas = [meta | Enum.map(clauses, &elem(&1, 0))],
          places = Enum.uniq(Enum.flat_map(metas, &clause(&1, name, file))),
          places != [] do
        kind = if kind in [:defmacro, :defmacrop], do: "macro", else: "function"
        {{module, String.to_atom(name), arity}, kind, name, Enum.sort(places)}
      end
    else
      _ -> []
    end
  end

  # The place of a clause's name; none if a macro of another file made it.
  defp clause(meta, name, file) do
    line = meta[:line] || 0
    text = if meta[:file] || meta[:keep], do: "", else: line_of(Process.get({:text, file}) || load(file), line)

    case Regex.run(~r/(?:^|[^\w@.])def\w*[ (]+(#{Regex.escape(name)})(?![\w?!:])/u, text, return: :index) do
      [_, {start, _}] -> [{file, line, start + 1}]
      _ -> []
    end
  end

  defp load(file) do
    text = file |> File.read!() |> String.split("\n") |> List.to_tuple()
    Process.put({:text, file}, text)
    text
  end

  defp line_of(text, line) when line >= 1 and line <= tuple_size(text), do: elem(text, line - 1)
  defp line_of(_, _), do: ""

  # The last line of what starts at each line.
  defp definition_ends(tree) do
    {_, ends} =
      Macro.prewalk(tree, %{}, fn
        {form, meta, args} = node, ends when is_atom(form) and is_list(args) ->
          if String.starts_with?(Atom.to_string(form), "def"), do: {node, Map.put_new(ends, meta[:line], last_line(node))}, else: {node, ends}

        node, ends ->
          {node, ends}
      end)

    ends
  end

  defp last_line(tree) do
    {_, last} =
      Macro.prewalk(tree, 0, fn
        {_, meta, _} = node, last when is_list(meta) ->
          lines = [meta[:line], meta[:end][:line], meta[:closing][:line], meta[:end_of_expression][:line]]
          lines = if node == tree, do: [meta[:line], meta[:end][:line], meta[:closing][:line]], else: lines
          {node, Enum.max([last | Enum.reject(lines, &is_nil/1)])}

        node, last ->
          {node, last}
      end)

    last
  end

  defp use_of({kind, meta, target, file, module, function}, {refs, edges, seen, open}, texts, keys, symbols, ours) do
    number = keys[target]
    text = texts[file]
    home = if is_tuple(target), do: elem(target, 0), else: target
    line = meta[:line] || 0
    name = if is_tuple(target), do: Atom.to_string(elem(target, 1)), else: target |> inspect() |> String.split(".") |> List.last()

    cond do
      text == nil or meta[:keep] != nil ->
        {refs, edges, seen, open}

      kind == :import ->
        if number, do: {add(refs, number, words_near(text, file, line, name), %{import: true}), edges, seen, open}, else: {refs, edges, seen, open}

      meta[:column] == nil ->
        # What a macro made. Names of its line count neither way.
        open = if home in ours, do: Enum.map(words(line_of(text, line), name), &{name, {file, line, &1}}) ++ open, else: open
        {refs, edges, seen, open}

      true ->
        case position(kind, meta, text, name) do
          nil ->
            {refs, edges, seen, open}

          {line, column, written} ->
            place = {file, line, column}
            seen = MapSet.put(seen, place)
            is_call = is_tuple(target) and not (String.at(binary_part_from(line_of(text, line), column - 1 + byte_size(written)), 0) == "/")
            is_import = line_of(text, line) =~ ~r/^\s*(alias|import|require|use)\b/ and not is_tuple(target)
            flags = if(is_call, do: %{is_call: true}, else: %{}) |> Map.merge(if(is_import, do: %{import: true}, else: %{}))

            cond do
              number == nil and home in ours and is_tuple(target) -> {refs, edges, seen, [{name, place} | open]}
              number == nil -> {refs, edges, seen, open}
              true ->
                caller = if function, do: keys[{module, elem(function, 0), elem(function, 1)}]
                edges = if is_call and caller && place not in symbols[number].places, do: MapSet.put(edges, {caller, number, line}), else: edges
                {add(refs, number, [place], flags), edges, seen, open}
            end
        end
    end
  end

  defp add(refs, number, places, flags) do
    Enum.reduce(places, refs, fn place, refs ->
      Map.update(refs, number, %{place => flags}, &Map.update(&1, place, flags, fn known -> Map.merge(known, flags) end))
    end)
  end

  # Line, column in bytes and the text of a use, if it stands where the compiler says.
  defp position(kind, meta, text, name) when kind in [:alias_reference, :struct_expansion] do
    # The last part of the name; groups have the parts in braces.
    {line, column} = if meta[:last], do: {meta[:last][:line], meta[:last][:column]}, else: {meta[:line], meta[:column]}
    source = line_of(text, line)
    at = bytes(source, column)

    case Regex.run(~r/^(?:\p{Lu}\w*\s*\.\s*)*(\p{Lu}\w*)/u, binary_part_from(source, at), return: :index) do
      [_, {start, size}] ->
        # What a macro made may have the place of something else.
        if binary_part(source, at + start, size) == name, do: {line, at + start + 1, name}

      _ ->
        nil
    end
  end

  # A name that `alias … as:` gives.
  defp position({:alias_expansion, as}, meta, text, _name), do: position(:alias_reference, meta, text, as |> inspect() |> String.split(".") |> List.last())

  defp position(_, meta, text, name) do
    line = meta[:line]
    source = line_of(text, line)
    at = bytes(source, meta[:column])
    starts = words(source, name)
    # The column of a remote capture is that of the dot, and an operator has that of its own.
    case Enum.find(starts, &(&1 - 1 == at)) || Enum.find(starts, &(&1 - 1 == at + 1)) do
      nil -> nil
      column -> {line, column, name}
    end
  end

  # Bytes before a column, which counts characters from 1.
  defp bytes(source, column), do: source |> String.slice(0, column - 1) |> byte_size()

  defp binary_part_from(text, at) when at <= byte_size(text), do: binary_part(text, at, byte_size(text) - at)
  defp binary_part_from(_, _), do: ""

  # The columns at which a whole word stands.
  defp words(source, name) do
    for [{start, _}] <- Regex.scan(~r/(?<![\w@])#{Regex.escape(name)}(?![\w?!])/u, source, return: :index), do: start + 1
  end

  defp words_near(text, file, line, name) do
    Enum.find_value(line..(line + 12), [], fn at ->
      case Regex.run(~r/(?<![\w@])#{Regex.escape(name)}(?=: )/u, line_of(text, at), return: :index) do
        [{start, _}] -> [{file, at, start + 1}]
        _ -> nil
      end
    end)
  end

  # Names that the compiler does not explain: in quoted code and specs, and calls on values.
  defp neutral(path, tree, text, seen) do
    {_, found} =
      Macro.prewalk(tree, [], fn
        {:quote, meta, args} = node, found when is_list(args) ->
          {node, range(path, text, meta[:line], last_line(node), seen) ++ found}

        {:@, meta, [{name, _, args}]} = node, found when name in @specs and is_list(args) ->
          {node, range(path, text, meta[:line], last_line(node), seen) ++ found}

        {:defoverridable, meta, args} = node, found when is_list(args) ->
          {node, range(path, text, meta[:line], last_line(node), seen) ++ found}

        {{:., _, [receiver, name]}, meta, args} = node, found when is_atom(name) and is_list(args) ->
          source = line_of(text, meta[:line] || 0)
          place = {path, meta[:line], bytes(source, meta[:column] || 1) + 1}
          is_value = not match?({:__aliases__, _, _}, receiver) and not is_atom(receiver) and meta[:no_parens] != true
          {node, if(is_value and place not in seen, do: [{Atom.to_string(name), place} | found], else: found)}

        node, found ->
          {node, found}
      end)

    found
  end

  defp range(path, text, first, last, seen) do
    for line <- first..last,
        source = line_of(text, line),
        [{start, size}] <- Regex.scan(~r/(?<![\w])[\p{L}_]\w*[?!]?/u, source, return: :index),
        place = {path, line, start + 1},
        place not in seen,
        do: {binary_part(source, start, size), place}
  end

  defp json(map) when is_map(map), do: ["{", Enum.intersperse(for({key, value} <- map, do: [string(to_string(key)), ":", json(value)]), ","), "}"]
  defp json(list) when is_list(list), do: ["[", Enum.intersperse(Enum.map(list, &json/1), ","), "]"]
  defp json(number) when is_integer(number), do: Integer.to_string(number)
  defp json(flag) when is_boolean(flag), do: Atom.to_string(flag)
  defp json(text) when is_binary(text), do: string(text)

  defp string(text), do: ["\"", text |> String.replace("\\", "\\\\") |> String.replace("\"", "\\\""), "\""]
end

ElixirTruth.main(System.argv())
