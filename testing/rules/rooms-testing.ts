/** The rooms of the tests: `testing/` and `e2e/`. */
import type { Room } from './floor-plan.ts'
import { billing, drizzle, everyPower, inside, lower, relay, store } from './room-groups.ts'

const everything = {
  packages: [
    'node:',
    'bun:',
    'bun',
    'deno',
    'vite',
    'postgres',
    'mysql2',
    '@electric-sql/pglite',
    '@electric-sql/pglite-prepopulatedfs',
    ...drizzle,
    'ws',
    'oidc-provider',
    '@20minutes/s3rver',
    'otpauth',
  ],
  powers: [...everyPower, 'bun'],
} as const

const conversions = ['testing', 'server/protocols', 'server/reasoning-state', 'server/relay/conversation', 'server/upstream', ...lower]

/** Shared by tests, in dependency order. */
export const testingRooms: Record<string, Room> = {
  testing: { may: ['db', ...store('ledger'), 'server/routing', 'server/vendors', ...lower], ...everything },
  'testing/upstream': { may: ['server/runtime'], ...everything },
  'testing/vendors': { may: ['testing/upstream'], ...everything },
  'testing/identity': { may: [], ...everything },
  'testing/bucket': { may: ['server/runtime/storage'], ...everything },
  'testing/database': { may: ['db', 'testing', ...store(), 'server/runtime'], ...everything },
  'testing/program': { may: ['testing', 'testing/database', 'testing/upstream', 'testing/vendors', 'server/runtime'], ...everything },
  'testing/rules': { may: [], ...everything },
  'testing/conversions': { may: conversions, ...everything },
  // The SDKs' types, read with the compiler.
  'testing/walk': {
    may: [...conversions, 'testing/conversions'],
    packages: [...everything.packages, 'typescript', '@google/genai'],
    powers: everything.powers,
  },
  'testing/fuzz': {
    may: ['testing', 'testing/conversions', 'testing/program', 'testing/upstream', 'server/protocols', ...lower],
    ...everything,
  },
  'testing/books': {
    may: [
      'db',
      'testing',
      'testing/database',
      'testing/upstream',
      ...billing,
      'server/billing/journal',
      ...store('ledger', 'usage'),
      ...lower,
    ],
    ...everything,
  },
  'testing/books/simulator': {
    may: [
      ...['db', 'testing', 'testing/database', 'testing/books', 'server/accounts', 'server/accounts/selling'],
      ...[...billing, 'server/billing/journal', ...store('accounts', 'ledger'), ...lower],
    ],
    ...everything,
  },
  'testing/survival': {
    may: [
      ...[
        'testing/books',
        'server/accounts',
        'server/billing/ledger',
        'server/billing/journal',
        'server/reasoning-state',
        'server/routing',
      ],
      ...store('accounts', 'channels'),
      'server/runtime',
    ],
    ...everything,
  },
  'testing/simulator': {
    may: [
      ...['testing', 'server/accounts', 'server/routing', ...billing, 'server/reasoning-state', 'server/upstream', 'server/vendors'],
      ...relay('realtime'),
      'server/relay',
      ...store(),
      ...lower,
    ],
    ...everything,
  },
}

/** The tests of the whole program. */
export const endToEnd: Room = {
  may: [
    ...['testing', 'shared'],
    ...inside(
      'testing',
      'upstream',
      'vendors',
      'identity',
      'bucket',
      'database',
      'program',
      'books',
      'books/simulator',
      'survival',
      'conversions',
      'fuzz',
      'walk',
      'rules',
    ),
  ],
  packages: [
    ...['node:', 'bun:test', 'playwright', 'axe-core'],
    ...[
      'openai',
      'openai-6',
      'ollama',
      '@aws-sdk/client-bedrock-runtime',
      '@smithy/node-http-handler',
      '@anthropic-ai/sdk',
      'anthropic-sdk-0',
      '@google/genai',
      'google-genai-2',
    ],
    ...['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/google'],
  ],
  powers: [...everyPower, 'bun'],
}
