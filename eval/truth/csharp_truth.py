#!/usr/bin/env python3
"""Compiles and starts `CsharpTruth.cs`, which says what Roslyn knows about a C# tree.

    pip install pythonnet dotnetcore2==3.1.23
    npm pack @autorest/csharp@3.0.0-beta.20220327.1 && tar xzf autorest-csharp-*.tgz   # has Roslyn 4.0
    pip download --no-deps --only-binary :all: psycopg2-binary==2.9.5                  # has OpenSSL 1.1, which the runtime needs
    unzip psycopg2_binary-*.whl && cd psycopg2_binary.libs && for name in ssl crypto; do ln -s lib$name-*.so.1.1 lib$name.so.1.1; done
    LD_LIBRARY_PATH=psycopg2_binary.libs ROSLYN=package python3 csharp_truth.py REPO REVISION ROOT FOLDER[,FOLDER…] [-d SYMBOLS] [-u NAMESPACES] [-r FOLDERS] | gzip -9n > REPO.json.gz

The arguments are explained in `CsharpTruth.cs`. No SDK is needed: the wheel `dotnetcore2` has the
runtime, and its libraries are those that the tree is compiled with. Nothing of the tree is executed."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

import dotnetcore2
from clr_loader import get_coreclr
from pythonnet import set_runtime

home = pathlib.Path(dotnetcore2.__file__).parent / 'bin'
roslyn = pathlib.Path(os.environ['ROSLYN']).resolve()
framework = next((home / 'shared/Microsoft.NETCore.App').iterdir())
folder = pathlib.Path(tempfile.mkdtemp())
config = folder / 'truth.runtimeconfig.json'
config.write_text(json.dumps({'runtimeOptions': {
    'tfm': 'netcoreapp3.1', 'framework': {'name': 'Microsoft.NETCore.App', 'version': framework.name},
    'configProperties': {'System.Globalization.Invariant': True}}}))
(home / 'dotnet').chmod((home / 'dotnet').stat().st_mode | stat.S_IXUSR)
set_runtime(get_coreclr(runtime_config=str(config), dotnet_root=str(home)))

import clr  # noqa: E402

sys.path.append(str(roslyn))
NEWER = ['System.Runtime.CompilerServices.Unsafe', 'System.Collections.Immutable', 'System.Reflection.Metadata']
for name in ('Microsoft.CodeAnalysis', 'Microsoft.CodeAnalysis.CSharp'):
    clr.AddReference(str(roslyn / f'{name}.dll'))

import System  # noqa: E402
from Microsoft.CodeAnalysis import MetadataReference, OutputKind, SyntaxTree  # noqa: E402
from Microsoft.CodeAnalysis.CSharp import CSharpCompilation, CSharpCompilationOptions, SyntaxFactory  # noqa: E402
from System.Collections.Generic import List  # noqa: E402
from System.Reflection import AssemblyName  # noqa: E402


def managed(path):
    try:
        AssemblyName.GetAssemblyName(str(path))
        return True
    except System.BadImageFormatException:
        return False


references = List[MetadataReference]()
ours = [roslyn / f'{name}.dll' for name in (*NEWER, 'Microsoft.CodeAnalysis', 'Microsoft.CodeAnalysis.CSharp')]
for path in [*(path for path in sorted(framework.glob('*.dll')) if path.stem not in NEWER), *ours]:
    if managed(path):
        references.Add(MetadataReference.CreateFromFile(str(path)))
trees = List[SyntaxTree]()
trees.Add(SyntaxFactory.ParseSyntaxTree((pathlib.Path(__file__).parent / 'CsharpTruth.cs').read_text(), None, '', None, System.Threading.CancellationToken(False)))
compilation = CSharpCompilation.Create('CsharpTruth', trees, references, CSharpCompilationOptions(OutputKind.ConsoleApplication))
stream = System.IO.MemoryStream()
result = compilation.Emit(stream)
if not result.Success:
    sys.exit('\n'.join(str(problem) for problem in result.Diagnostics if str(problem.Severity) == 'Error'))
# A process of its own, whose folder has newer libraries than the runtime.
(folder / 'CsharpTruth.dll').write_bytes(bytes(stream.ToArray()))
for path in ours:
    shutil.copy(path, folder)
# The host takes what this says is newer.
files = {'CsharpTruth.dll': {}} | {path.name: {'assemblyVersion': '99.0.0.0', 'fileVersion': '99.0.0.0'} for path in ours}
target = '.NETCoreApp,Version=v3.1'
(folder / 'CsharpTruth.deps.json').write_text(json.dumps({
    'runtimeTarget': {'name': target}, 'targets': {target: {'CsharpTruth/1.0.0': {'runtime': files}}},
    'libraries': {'CsharpTruth/1.0.0': {'type': 'project', 'serviceable': False, 'sha512': ''}}}))
config.rename(folder / 'CsharpTruth.runtimeconfig.json')
out = folder / 'truth.json'
subprocess.run([str(home / 'dotnet'), str(folder / 'CsharpTruth.dll'), str(framework), str(out), *sys.argv[1:]], check=True)
sys.stdout.write(out.read_text())
shutil.rmtree(folder)
