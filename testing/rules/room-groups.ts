/** Names for groups of rooms, packages and powers, for the parts of the floor plan. */

export const everyPower = ['time', 'chance', 'network', 'process', 'console', 'worker', 'global'] as const
export const drizzle = ['drizzle-orm']

/** The rooms inside a room. */
export const inside = (room: string, ...parts: string[]) => parts.map((part) => `${room}/${part}`)
export const canonical = ['server/canonical', 'server/canonical/operation']
export const lower = ['server/runtime/contract', 'server/runtime', ...canonical, 'shared']
export const store = (...parts: string[]) => inside('server/store', 'engine', ...parts)
export const relay = (...parts: string[]) => inside('server/relay', 'contract', ...parts)
export const billing = inside('server/billing', 'pricing', 'tokens', 'lease', 'ledger', 'ratelimit', 'invoices')
