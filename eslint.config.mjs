import js from "@eslint/js";
import tseslint from "typescript-eslint";

/**
 * The direction of imports between the layers of `src` and `webview`; CONTRIBUTING.md draws it.
 * @param {string} layer the folder that the rule is for
 * @param {string[]} folders the layers that it must not import
 * @param {RegExp} [packages] the packages that it must not import
 * @returns {import("typescript-eslint").ConfigArray[number]}
 */
function layer(layer, folders, packages) {
  return {
    files: [`${layer}/**/*.ts`],
    rules: {
      // The TypeScript rule also sees `import x = require("x")`.
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            ...folders.map((folder) => ({
              regex: `^\\.\\.?/(.*/)?${folder}/`,
              message: `${layer} must not import ${folder}: see the map of the layers in CONTRIBUTING.md.`,
            })),
            ...(packages
              ? [{ regex: packages.source, message: `${layer} must not import this: see CONTRIBUTING.md.` }]
              : []),
          ],
        },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ["dist/", "out/", "node_modules/", ".vscode-test/"] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["src/tsconfig.json", "webview/tsconfig.json", "test/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname ?? process.cwd(),
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 50],
      "max-params": ["error", 4],
      eqeqeq: "error",
      "no-console": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/ban-ts-comment": ["error", { "ts-ignore": true, "ts-expect-error": true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-definitions": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
    },
  },
  layer("src/shared", ["core", "ollama", "node", "vscode", "terminal", "webview"], /^[^.]/),
  layer(
    "src/core",
    ["ollama", "node", "vscode", "terminal", "webview"],
    /^(vscode|ollama|node:.*|@vscode\/.*)$/,
  ),
  layer("src/ollama", ["node", "vscode", "terminal", "webview"], /^(vscode|@vscode\/.*)$/),
  layer("src/node", ["ollama", "vscode", "terminal", "webview"], /^(vscode|ollama|@vscode\/.*)$/),
  layer("src/vscode", ["ollama", "terminal", "webview"], /^ollama$/),
  {
    files: ["src/vscode/**/*.ts", "src/extension.ts", "src/loom.ts"],
    ignores: ["src/vscode/messages.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "CallExpression[arguments.length<2][callee.property.name=/^show(Information|Warning|Error)Message$/], CallExpression[arguments.1.type!='ObjectExpression'][callee.property.name=/^show(Information|Warning|Error)Message$/]",
          message:
            "The editor makes links of what stands in its messages: use inform, warn or tellError of src/vscode/messages.ts. Modal ones make none.",
        },
      ],
    },
  },
  layer("src/terminal", ["vscode", "webview"], /^(vscode|ollama|@vscode\/.*)$/),
  layer("webview", ["core", "ollama", "node", "vscode", "terminal"], /^(vscode|ollama|node:.*)$/),
  {
    files: ["**/*.ts"],
    rules: {
      "@typescript-eslint/no-require-imports": ["error", { allow: ["^vscode$"] }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportDeclaration[source.value='vscode'] > ImportNamespaceSpecifier",
          message:
            'Write `import vscode = require("vscode")`: in a CommonJS bundle `import *` copies the whole API once per file, on activation.',
        },
      ],
    },
  },
  {
    // A suite is one function that holds its tests, and command-line programs print.
    files: ["test/**/*.ts", "bench/**/*.ts", "scripts/**", "src/terminal/**/*.ts", "*.mjs"],
    languageOptions: { globals: { process: "readonly", console: "readonly" } },
    rules: { "no-console": "off" },
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
  {
    files: ["test/**/*.ts"],
    rules: {
      "max-lines-per-function": "off",
      // node:test's `test` and `describe` return promises that the runner itself awaits.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "describe", "it", "suite"], package: "node:test" },
          ],
        },
      ],
    },
  },
);
