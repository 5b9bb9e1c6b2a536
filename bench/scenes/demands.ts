/** Loads by name, for tools that measure one load at a time. */
import type { Demand } from './scene.ts'

const converted = { client: 'messages', upstream: 'chat' } as const

const demands: Record<string, Omit<Demand, 'seconds'>> = {
  whole: { connections: 64 },
  stream: { connections: 16, stream: true },
  paced: { connections: 100, stream: true, pace: { pace: 20, events: 100 } },
  convert: { connections: 64, route: converted },
  'convert-stream': { connections: 16, stream: true, route: converted },
}

/** Throws when there is no such load. */
export function demandOf(name: string): Omit<Demand, 'seconds'> {
  const demand = demands[name]
  if (demand === undefined) throw new Error(`no such load; there are: ${Object.keys(demands).join(', ')}`)
  return demand
}
