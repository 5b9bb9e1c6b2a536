/**
 * The floor plan as data: every room, what it may import, and which impurities it may use. ARCHITECTURE.md describes what each room is for.
 * A change here is a change of the design: make it in a separate commit. Client and tests have separate files beside this one.
 */
import type { Room } from './floor-plan.ts'
import { billing, canonical, drizzle, everyPower, inside, lower, relay, store } from './room-groups.ts'
import { clientRooms } from './rooms-client.ts'
import { httpRooms } from './rooms-http.ts'
import { endToEnd, testingRooms } from './rooms-testing.ts'

const pure = ['server/wire', ...canonical, 'shared']
/** Upstreams and the formats they use. */
const asking = ['server/routing', 'server/upstream', 'server/vendors', 'server/protocols']
const serving = ['server/accounts', ...billing, ...asking]

/** In dependency order: a room may only import rooms above it in this list. */
export const rooms: Record<string, Room> = {
  shared: { may: [], packages: ['@sinclair/typebox'] },
  // drizzle-kit loads these files and does not resolve aliases.
  db: { may: ['shared'], packages: drizzle, relative: true },

  // Checksums of event streams; nothing else of node:zlib.
  'server/wire': { may: ['shared'], packages: ['node:zlib'] },
  'server/canonical': { may: ['shared'] },
  'server/canonical/operation': { may: ['server/canonical', 'shared'] },
  // Building blocks for the codecs of every family.
  'server/protocols/codec': { may: pure },
  'server/protocols/*': { may: ['server/protocols/codec', ...pure] },
  'server/protocols': { may: ['server/protocols/codec', 'server/protocols/*', ...pure] },
  'server/vendors': { may: [...canonical, 'shared'] },

  'server/runtime/contract': { may: [] },
  // HTTP/1.1 as bytes.
  'server/runtime/http1': { may: ['server/runtime/contract'] },
  // Connections through proxies, and with private certificates.
  'server/runtime/tunnel': { may: ['server/runtime/contract'], packages: ['node:net', 'node:tls', 'node:crypto'], powers: ['network'] },
  // The client of HTTP/1.1 over sockets, which a runtime gives it.
  'server/runtime/http1-client': {
    may: ['server/runtime/contract', 'server/runtime/http1', 'server/runtime/tunnel'],
    packages: ['node:'],
    powers: everyPower,
  },
  'server/runtime/bun': {
    may: ['server/runtime/contract', 'server/runtime/http1-client'],
    packages: ['node:'],
    powers: [...everyPower, 'bun'],
  },
  'server/runtime/deno': {
    may: ['server/runtime/contract', 'server/runtime/http1-client'],
    packages: ['node:', '@node-rs/argon2'],
    powers: [...everyPower, 'deno'],
  },
  // Append-only files, sealed bytes, and buckets, for threads that serve no requests.
  'server/runtime/storage': { may: [], packages: ['node:', 'postgres', 'mysql2', 'aws4fetch'], powers: everyPower },
  'server/runtime': {
    may: ['server/runtime/contract', 'server/runtime/bun', 'server/runtime/deno', 'shared'],
    packages: ['node:', 'pino'],
    powers: everyPower,
  },

  'server/store/engine': {
    may: ['db', 'server/runtime', 'shared'],
    packages: [...drizzle, 'postgres', '@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs'],
    powers: ['worker'],
  },
  'server/store/schema-moves': { may: ['db', ...store(), 'server/runtime'], packages: drizzle },
  'server/store/ledger': { may: ['db', ...store(), 'shared'], packages: drizzle },
  'server/store/bodies': { may: ['db', ...store()], packages: drizzle },
  'server/store/accounts': { may: ['db', ...store('bodies', 'ledger'), 'shared'], packages: drizzle },
  'server/store/channels': { may: ['db', ...store()], packages: drizzle },
  'server/store/jobs': { may: ['db', ...store(), 'shared'], packages: drizzle },
  // Calls and short-lived keys of realtime sessions.
  'server/store/realtime': { may: ['db', ...store('jobs')], packages: drizzle },
  'server/store/alerts': { may: ['db', ...store(), 'shared'], packages: drizzle },
  'server/store/replays': { may: ['db', ...store('jobs'), 'shared'], packages: drizzle },
  'server/store/usage': { may: ['db', ...store('ledger'), 'server/runtime', 'shared'], packages: drizzle },

  'server/upstream': {
    may: ['server/vendors', 'server/wire', 'server/runtime/tunnel', ...lower],
    packages: ['node:dns', 'node:net', 'ipaddr.js', 'ws', 'jose', 'aws4fetch'],
    powers: ['network'],
  },
  // The checksum in generated PNG images.
  'server/demo': { may: ['server/upstream', 'server/protocols', 'server/wire', ...lower], packages: ['node:zlib'] },

  'server/reasoning-state': { may: [...store('accounts'), ...lower] },
  'server/billing/pricing': { may: [...store('accounts', 'channels', 'ledger', 'usage'), ...lower] },
  // Reads an audio file's duration where no upstream reports it.
  'server/billing/tokens': { may: lower, packages: ['music-metadata', 'gpt-tokenizer'] },
  'server/billing/lease': { may: [...store('ledger'), ...lower] },
  // The checksum of its lines.
  'server/billing/journal': { may: [...store('ledger'), ...lower], packages: ['node:zlib'] },
  'server/billing/ledger': { may: ['server/billing/lease', 'server/billing/journal', ...store('ledger', 'accounts'), ...lower] },
  'server/billing/ratelimit': { may: ['server/billing/lease', ...store('ledger'), ...lower] },
  // Upstreams' invoices against Parley's records. Pure.
  'server/billing/invoices': { may: lower },
  'server/metrics': {
    may: ['server/billing/lease', 'server/billing/ledger', ...store('ledger', 'schema-moves'), ...lower],
    packages: ['prom-client'],
    powers: ['process'],
  },
  // The main thread: no span, no measurement, no exporter.
  'server/telemetry': { may: [...store('ledger'), ...lower] },
  // The thread that sends to the collector.
  'server/telemetry/collecting': {
    may: ['server/telemetry', ...lower],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/otlp-exporter-base',
      '@opentelemetry/exporter-metrics-otlp-http',
      'node:zlib',
    ],
    // The exporters read their variables there.
    powers: ['process'],
  },
  'server/routing': { may: [...store('accounts', 'channels'), 'server/vendors', 'server/runtime/tunnel', ...lower] },
  // Protection of sign-in: growing delays, networks, rules for passwords.
  'server/accounts/guard': { may: lower, packages: ['@zxcvbn-ts/language-common'] },
  // Users' identities at providers.
  'server/accounts/identity': { may: ['shared'], packages: ['openid-client'] },
  // Second factors: codes of apps, passkeys, recovery codes.
  'server/accounts/factors': { may: [...store('accounts'), ...lower], packages: ['otpauth', '@simplewebauthn/server'] },
  // Hourly upkeep of usage rows, and how many reports run at once.
  'server/accounts/usage': { may: [...store('usage'), ...lower] },
  'server/accounts': {
    may: [...inside('server/accounts', 'guard', 'identity', 'factors', 'usage'), ...store('accounts', 'ledger', 'usage'), ...lower],
  },
  // Wallets that several users spend from; the effect on a request is in the room above.
  'server/accounts/teams': { may: ['server/accounts', ...store('accounts', 'ledger'), ...lower] },
  // Links by which people become users, or members of a team.
  'server/accounts/invitations': {
    may: ['server/accounts', ...inside('server/accounts', 'guard', 'teams'), ...store('accounts'), ...lower],
  },
  // Plans, codes that are redeemed once, and credits of payment systems.
  'server/accounts/selling': { may: ['server/accounts', 'server/accounts/guard', ...store('accounts', 'ledger'), ...lower] },
  // Conversations that users keep on the server or share.
  'server/accounts/kept': { may: ['server/accounts', ...store('accounts'), ...lower] },
  // Requests and answers, kept on opt-in: recorded here, written and read by a separate thread.
  'server/bodies': {
    may: ['server/accounts', 'server/upstream', 'server/runtime/storage', ...store('accounts', 'bodies'), ...lower],
    powers: ['worker'],
  },
  // Work that lasts longer than a request: ownership and takeover.
  'server/jobs': { may: [...store('jobs'), ...lower] },
  // Kept requests sent again, as jobs. The function that sends a request is passed in.
  'server/replay': {
    may: [
      ...['server/jobs', 'server/accounts', 'server/bodies', 'server/billing/pricing', 'server/protocols', 'server/routing'],
      ...store('accounts', 'jobs', 'ledger', 'replays', 'usage'),
      ...lower,
    ],
    packages: ['diff'],
  },
  // Alerts, sent from an outbox. Signatures need node:crypto.
  'server/alerts': {
    may: [
      ...[
        'server/accounts',
        'server/accounts/teams',
        'server/routing',
        'server/upstream',
        'server/billing/ledger',
        'server/billing/pricing',
      ],
      ...store('accounts', 'alerts'),
      ...lower,
    ],
    packages: ['nodemailer', 'node:crypto'],
  },
  // Requests that are sent when there is capacity.
  'server/batches': {
    may: ['server/jobs', 'server/accounts', 'server/reasoning-state', 'server/protocols', ...store('accounts', 'jobs'), ...lower],
  },
  // Asynchronous work at upstreams: stored, awaited, settled.
  'server/long-work': {
    may: ['server/jobs', 'server/billing/lease', 'server/billing/ledger', 'server/billing/pricing', ...store('jobs'), ...lower],
  },
  // Videos that upstreams make.
  'server/videos': { may: ['server/long-work', ...store('jobs'), ...lower] },
  // Interactions that upstreams make in the background.
  'server/interactions': { may: ['server/long-work', ...store('jobs'), ...lower] },
  // Realtime calls held by upstreams: owner, channel and key.
  'server/calls': { may: [...store('realtime'), ...lower] },
  // Data of other gateways, as sections of a parley.yaml.
  'server/imports': { may: ['shared'], packages: ['node:crypto', '@noble/ciphers'] },
  // Change events for subscribers.
  'server/live': { may: [...store(), ...lower] },
  'server/declare': {
    may: [
      ...['server/accounts', 'server/accounts/teams', 'server/accounts/selling', 'server/routing', 'server/billing/pricing'],
      ...['server/runtime', 'shared'],
    ],
    packages: ['yaml'],
  },

  // The types that the steps of a request pass to each other.
  'server/relay/contract': {
    may: [
      ...['server/accounts', 'server/bodies', 'server/routing', ...billing, 'server/reasoning-state', 'server/upstream', 'server/vendors'],
      ...lower,
    ],
  },
  // One request to one candidate, for any operation.
  'server/relay/exchange': {
    may: [...relay(), 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/wire', ...lower],
  },
  'server/relay/spend': { may: [...relay('exchange'), 'server/accounts', 'server/routing', 'server/protocols', ...billing, ...lower] },
  'server/relay/conversation': {
    may: [
      ...relay('exchange'),
      ...['server/routing', 'server/reasoning-state', 'server/upstream', 'server/vendors', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/operation': {
    may: [
      ...relay('exchange', 'conversation'),
      ...['server/routing', 'server/billing/pricing', 'server/upstream', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/pipeline': { may: ['server/bodies', ...relay('exchange', 'spend', 'conversation', 'operation'), ...serving, ...lower] },
  'server/relay/realtime': {
    may: [
      ...['server/bodies', 'server/calls', 'server/jobs', 'server/wire'],
      ...relay('exchange', 'spend', 'pipeline'),
      ...serving,
      ...lower,
    ],
  },
  'server/relay/admin': { may: [...relay('exchange', 'spend', 'conversation', 'pipeline'), ...serving, ...lower] },
  // Objects that callers create in the accounts of upstreams.
  'server/relay/objects': {
    may: [...relay('exchange', 'spend', 'conversation', 'pipeline'), 'server/reasoning-state', 'server/wire', ...serving, ...lower],
  },
  // Large bodies, in a worker.
  'server/relay/large': {
    may: [...relay('exchange', 'conversation', 'operation'), 'server/reasoning-state', 'server/billing/tokens', ...asking, ...lower],
    powers: ['worker'],
  },
  'server/relay': {
    may: [
      ...relay('exchange', 'conversation', 'large', 'operation', 'spend', 'pipeline'),
      'server/accounts',
      'server/billing/ratelimit',
      ...lower,
    ],
  },

  ...httpRooms,

  ...testingRooms,
  ...clientRooms,
  e2e: endToEnd,
  tasks: { may: [], packages: ['node:'], powers: everyPower },
  project: {
    // The path of the tests' browser.
    may: ['testing'],
    packages: ['node:', 'vite', 'vite-plugin-solid', '@tailwindcss/vite', 'playwright', 'drizzle-kit'],
    powers: ['process'],
  },
}

/** Adds the top-level files, which may import everything below them and every package that `npm start` installs, and the bench. */
export function addRoof(dependencies: readonly string[]): void {
  const below = () => Object.keys(rooms).filter((room) => /^(shared|db|server\/.*)$/.test(room))
  const roof = { packages: ['node:', ...dependencies], powers: everyPower }
  rooms['server/app'] = { may: [...below(), 'project'], ...roof }
  rooms['server/cli'] = { may: below(), ...roof }
  rooms.server = { may: [...below(), 'project'], ...roof }
  // It also runs the whole program in its own process, to measure our own code, and single statements of the store.
  const tools = ['testing', ...inside('testing', 'upstream', 'database', 'program', 'books', 'conversions')]
  rooms.bench = {
    may: [
      ...[...tools, 'shared', 'server/app', 'server/runtime', 'server/store/engine', 'server/billing/ledger', 'server/store/ledger'],
      // To measure keeping a request, and telemetry.
      ...['server/accounts', 'server/bodies', 'server/upstream', 'server/telemetry', 'server/canonical'],
    ],
    packages: ['node:', 'playwright', 'drizzle-orm'],
    powers: [...everyPower, 'bun'],
  }
}
