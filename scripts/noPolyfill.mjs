// Stands in for a polyfill that Node does not need: see esbuild.mjs.
export {};
