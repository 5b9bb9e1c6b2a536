import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import solid from 'vite-plugin-solid'

/** In development (tasks/dev.mjs) Vite stands in front and hands the server's routes on to it. */
const behind = { target: process.env.PARLEY_DEV_SERVER ?? 'http://127.0.0.1:3001', ws: true }
/** `/api/*.ts` are the modules of client/api, which Vite itself serves under that path. */
const routes = ['^/api/(?!.*[.]tsx?([?]|$))', '^/(pg|v1|v1beta)/', '^/(healthz|readyz)$']

export default defineConfig({
  root: 'client',
  plugins: [solid(), tailwindcss(), trustedTemplates()],
  server: { host: '127.0.0.1', strictPort: true, proxy: Object.fromEntries(routes.map((route) => [route, behind])) },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    // The content security policy allows no inline scripts and no data: fonts or styles; every file keeps its own address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

/**
 * Solid makes its templates with innerHTML, which a policy with `require-trusted-types-for 'script'` refuses. The one line
 * in Solid that does it gets a Trusted Types policy of its own, named `solid`: only what the compiler wrote passes through
 * it. A Solid release in which the line is gone stops the build, so that nobody ships a page that cannot start.
 */
function trustedTemplates(): Plugin {
  const line = 't.innerHTML = html;'
  const policy = "const templates = globalThis.trustedTypes?.createPolicy('solid', { createHTML: (html) => html });\n"
  let found = false
  return {
    name: 'parley-trusted-templates',
    apply: 'build',
    transform(code, id) {
      if (!/solid-js\/web\/dist\/\w+\.js$/.test(id) || !code.includes(line)) return null
      found = true
      return { code: policy + code.replace(line, 't.innerHTML = templates ? templates.createHTML(html) : html;'), map: null }
    },
    buildEnd(error) {
      if (!error && !found) this.error('Solid no longer makes its templates where vite.config.ts expects it.')
    },
  }
}
