/** Every table, for the store and for drizzle-kit. */
export * from './accounts.ts'
export * from './channels.ts'
export * from './leases.ts'
export * from './ledger.ts'
export * from './logs.ts'
export * from './vault.ts'
