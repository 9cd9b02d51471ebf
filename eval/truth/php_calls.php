<?php
// Calls that happened while a PHP program ran, from a function trace of xdebug, in the format that
// `cargo xtask truth` reads.
//
//   XDEBUG_MODE=trace php -d xdebug.start_with_request=yes -d xdebug.trace_format=1 \
//       -d xdebug.output_dir=. -d xdebug.trace_output_name=calls -d xdebug.use_compression=0 PROGRAM…
//   php php_calls.php NAME ROOT calls.xt | gzip -9n > NAME.json.gz
//
// A call is written if the line that makes it has the name of the function, and a file of the tree
// defines it there. Such truth is partial: it does not tell that something is no call.

[, $name, $root, $trace] = $argv;
$root = realpath($root) . '/';

/** Returns the definitions of functions and methods of a tree, by class and name. */
function definitions(string $root): array
{
    $found = [];
    $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS));
    foreach ($files as $file) {
        if ($file->getExtension() !== 'php') {
            continue;
        }
        $path = substr($file->getPathname(), strlen($root));
        $tokens = PhpToken::tokenize(file_get_contents($file->getPathname()));
        [$namespace, $class, $is_trait] = ['', '', false];
        foreach ($tokens as $at => $token) {
            $next = $at + 1;
            while (isset($tokens[$next]) && ($tokens[$next]->isIgnorable() || $tokens[$next]->text === '&')) {
                $next++;
            }
            $named = $tokens[$next] ?? null;
            $is_after = $at > 1 && in_array($tokens[$at - 1]->text, ['::', '->'], true);
            if ($token->is(T_NAMESPACE) && $named) {
                [$namespace, $class, $is_trait] = [$named->text, '', false];
            } elseif ($token->is([T_CLASS, T_TRAIT, T_INTERFACE, T_ENUM]) && $named?->is(T_STRING) && !$is_after) {
                $class = ltrim($namespace . '\\' . $named->text, '\\');
                $is_trait = $token->is(T_TRAIT);
            } elseif ($token->is(T_FUNCTION) && $named?->is(T_STRING)) {
                $text = file($file->getPathname())[$named->line - 1];
                $column = strpos($text, $named->text) + 1;
                $found[strtolower($named->text)][] = [$class, $path, $named->line, $column, $named->text, $is_trait];
            }
        }
    }
    return $found;
}

$definitions = definitions($root);
$lines = [];
$calls = [];
$input = fopen($trace, 'r');
while (($line = fgets($input)) !== false) {
    $fields = explode("\t", $line);
    // Level, number, 0 for an entry, time, memory, function, user-defined, include, file, line.
    if (count($fields) < 10 || $fields[2] !== '0' || $fields[6] !== '1' || !str_starts_with($fields[8], $root)) {
        continue;
    }
    [$function, $path, $at] = [$fields[5], $fields[8], (int) $fields[9]];
    [$class, $method] = preg_match('/^(.*)(?:->|::)(\w+)$/', $function, $parts) ? [$parts[1], $parts[2]] : ['', $function];
    $short = substr(strrchr('\\' . $method, '\\'), 1);
    $candidates = array_filter($definitions[strtolower($short)] ?? [], fn ($known) => $known[0] === $class);
    if (!$candidates && $class !== '') {
        // A method of a trait is traced with the class that uses it.
        $candidates = array_filter($definitions[strtolower($short)] ?? [], fn ($known) => $known[5]);
    }
    // Code of `eval` has no file.
    if (count($candidates) !== 1 || !is_file($path)) {
        continue;
    }
    $lines[$path] ??= file($path);
    if (preg_match('/(?<!\w)' . preg_quote($short, '/') . '(?!\w)/', $lines[$path][$at - 1] ?? '')) {
        [, $home, $home_line, $column, $written] = reset($candidates);
        $calls["$home:$home_line"] ??= ['name' => $written, 'kind' => 'method', 'def' => ['path' => $home, 'line' => $home_line, 'col' => $column], 'refs' => []];
        $site = ['path' => substr($path, strlen($root)), 'line' => $at, 'col' => 1, 'is_call' => true];
        $calls["$home:$home_line"]['refs']["{$site['path']}:$at"] = $site;
    }
}
ksort($calls);
$files = [];
foreach ($calls as &$symbol) {
    ksort($symbol['refs']);
    $symbol['refs'] = array_values($symbol['refs']);
    $files[$symbol['def']['path']] = true;
    foreach ($symbol['refs'] as $site) {
        $files[$site['path']] = true;
    }
}
unset($symbol);
ksort($files);
echo json_encode(['repo' => $name, 'language' => 'php', 'partial' => true, 'files' => array_keys($files), 'symbols' => array_values($calls), 'edges' => []], JSON_UNESCAPED_SLASHES);
