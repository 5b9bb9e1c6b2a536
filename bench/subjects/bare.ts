/** Parley's server and client with nothing between: the lower bound for a gateway on this runtime. */
import { join } from 'node:path'
import { pathOf, subjectOf } from './subject.ts'

/** See `bare-proxy.ts`. */
export const bare = subjectOf({
  name: 'Bun, bare proxy',
  missing: () => undefined,
  ask: ({ client }) => ({ path: pathOf(client), model: 'bench', headers: [] }),
  command: ({ port, providerPort }) => ({
    words: [process.execPath, join(import.meta.dir, 'bare-proxy.ts'), String(port), String(providerPort)],
  }),
})
