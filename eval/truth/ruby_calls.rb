# Calls that happen while a Ruby program runs, such as the tests of a package, in the format that
# `cargo xtask truth` reads.
#
#   TRUTH_ROOT=ROOT TRUTH_REPO=NAME TRUTH_OUT=NAME.json ruby -r ./ruby_calls.rb PROGRAM…
#   gzip -9n NAME.json
#
# A call is written if the line that makes it has the name of the method: what `send`, an operator
# or a method outside of the tree calls cannot be found by name. Such truth is partial: it does not
# tell that something is no call.

require "json"
require "set"

module CallTruth
  ROOT = File.realpath(ENV.fetch("TRUTH_ROOT")) + "/"
  CALLS = Hash.new { |calls, key| calls[key] = Set.new }
  LINES = Hash.new { |lines, path| lines[path] = File.readlines(path, encoding: "BINARY") }

  def self.names?(path, line, name)
    text = LINES[path][line - 1]
    text && text.match?(/(?<![\w])#{Regexp.escape(name.b)}(?![\w])/n)
  end

  TRACE = TracePoint.new(:call) do |point|
    next unless point.path.start_with?(ROOT)
    caller = caller_locations(2, 1)&.first
    path = caller&.absolute_path
    next unless path&.start_with?(ROOT)
    CALLS[[point.path, point.lineno, point.callee_id.to_s]] << [path, caller.lineno]
  end

  def self.write
    symbols = CALLS.filter_map do |(path, line, name), sites|
      # What `define_method` and `eval` make has no definition of its name.
      next unless File.file?(path) && names?(path, line, name) && name.match?(/\A\w+[?!]?\z/)
      sites = sites.select { |site| names?(*site, name) && site != [path, line] }
      column = LINES[path][line - 1].index(name.b) + 1
      places = sites.sort.map { |site| { path: site[0].delete_prefix(ROOT), line: site[1], col: 1, is_call: true } }
      { name: name, kind: "method", def: { path: path.delete_prefix(ROOT), line: line, col: column }, refs: places } unless places.empty?
    end
    files = symbols.flat_map { |symbol| [symbol[:def][:path], *symbol[:refs].map { |site| site[:path] }] }.uniq.sort
    truth = { repo: ENV.fetch("TRUTH_REPO"), language: "ruby", partial: true, files: files, symbols: symbols, edges: [] }
    File.write(ENV.fetch("TRUTH_OUT"), JSON.generate(truth))
    warn "#{symbols.size} methods, #{symbols.sum { |symbol| symbol[:refs].size }} lines that call them"
  end

  TRACE.enable
  # Test runners register their own work here, which runs first.
  at_exit { at_exit { TRACE.disable; write } }
end
