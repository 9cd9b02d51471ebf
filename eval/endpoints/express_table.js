// Prints the routes that an Express application registers, as JSON.
//
//     node express_table.js MODULES "code that returns the application"
const path = require('path');
const Module = require('module');
const modules = path.resolve(process.argv[2]);
const load = Module.createRequire(path.join(modules, 'x.js'));
const express = load('express');

// The path of a mount is not kept by Express: it is noted when it is given.
for (const owner of [express.Router, express.Router.prototype]) {
  const use = owner && owner.use;
  if (!use) continue;
  owner.use = function (...given) {
    const before = this.stack.length;
    const result = use.apply(this, given);
    const first = Array.isArray(given[0]) ? given[0][0] : given[0];
    for (const layer of this.stack.slice(before)) layer.mount = typeof first === 'string' ? first : '';
    return result;
  };
}
// An application that is mounted is wrapped in a function: what it wraps is noted as well.
const mounted = [];
const app_use = express.application.use;
express.application.use = function (...given) {
  const first = typeof given[0] === 'string' ? given[0] : '';
  for (const one of given.flat()) {
    if (one && one.handle && one.set) mounted.push({ parent: this, prefix: first, app: one });
  }
  return app_use.apply(this, given);
};

const rows = [];
function walk(stack, prefix) {
  for (const layer of stack || []) {
    if (layer.route) {
      for (const one of [].concat(layer.route.path)) {
        const inner = layer.route.stack;
        const methods = new Set(inner.map((handle) => (handle.method || 'any').toUpperCase()));
        for (const method of methods) {
          const last = inner.filter((handle) => (handle.method || 'any').toUpperCase() === method).pop();
          rows.push({ method, path: prefix + String(one), handler: last.handle.name, module: '' });
        }
      }
    } else if (layer.handle && layer.handle.stack) {
      walk(layer.handle.stack, prefix + (layer.mount || ''));
    }
  }
}
const make = new Function('load', process.argv[3]);
Promise.resolve(make(load)).then((app) => {
  const routes_of = (one, prefix) => {
    const router = one._router || one.router || one;
    walk(router.stack, prefix);
    for (const { parent, prefix: below, app: child } of mounted) {
      if (parent === one) routes_of(child, prefix + below);
    }
  };
  routes_of(app, '');
  console.log('TABLE' + JSON.stringify(rows));
  process.exit(0);
});
