/** The rooms of `server/http`, in dependency order: the part of the floor plan about HTTP in and out. */
import type { Room } from './floor-plan.ts'
import { billing, lower, relay } from './room-groups.ts'

/** The rooms of `server/http`. */
export const httpRooms: Record<string, Room> = {
  // Which addresses are trusted proxies.
  'server/http/request': {
    may: [...relay('operation'), 'server/bodies', 'server/protocols', 'server/wire', ...lower],
    packages: ['node:buffer', 'node:net'],
  },
  'server/http/api': {
    may: [
      'server/http/request',
      ...relay('conversation', 'realtime', 'admin'),
      ...['server/accounts', 'server/accounts/guard', 'server/bodies', 'server/replay', 'server/routing', ...billing, 'server/protocols'],
      ...['server/reasoning-state', 'server/long-work', 'server/videos', 'server/upstream', 'server/wire'],
      ...lower,
    ],
  },
  // Files that are kept for requests, in the format of every protocol.
  'server/http/api/files': {
    may: ['server/http/request', 'server/http/api', 'server/protocols', 'server/reasoning-state', ...relay('conversation'), ...lower],
  },
  // Two-way sessions, and the short-lived keys that open them.
  'server/http/api/realtime': {
    may: [
      ...['server/http/request', 'server/http/api', 'server/accounts', 'server/bodies', 'server/routing', 'server/protocols'],
      ...['server/vendors'],
      ...relay('realtime'),
      ...lower,
    ],
  },
  // Operations other than generation, at OpenAI's endpoints and similar ones.
  'server/http/api/operations': {
    may: ['server/http/request', 'server/http/api', ...relay('conversation', 'operation'), 'server/protocols', ...lower],
  },
  // Requests that are sent when there is capacity, each to its own endpoint.
  'server/http/api/batches': {
    may: [
      ...['server/http/request', 'server/http/api', 'server/http/api/operations', 'server/batches', 'server/accounts'],
      ...['server/protocols', 'server/wire'],
      ...relay('conversation', 'admin'),
      ...lower,
    ],
  },
  // Interactions of Gemini: those stored by upstreams, and stored answers of Responses in the same format.
  'server/http/api/interactions': {
    may: [
      ...['server/http/request', 'server/http/api', 'server/interactions', 'server/accounts', 'server/protocols', 'server/reasoning-state'],
      ...relay('conversation', 'admin'),
      ...['server/upstream', ...lower],
    ],
  },
  // Building blocks of every console route: who may call, JSON in and out, pages of lists. Bodies with a name twice: server/wire.
  'server/http/console/route': {
    may: ['server/wire', 'server/http/request', 'server/accounts', 'server/accounts/identity', 'server/bodies', ...billing, ...lower],
  },
  // Users, keys, groups, sessions, the audit trail.
  'server/http/console/accounts': {
    may: [
      ...['server/http/request', 'server/http/console/route', 'server/accounts', 'server/accounts/identity', 'server/accounts/kept'],
      ...['server/accounts/teams', 'server/accounts/factors', 'server/accounts/invitations', 'server/accounts/selling'],
      ...[...billing, ...lower],
    ],
  },
  // Channels, models, prices: what is offered here.
  'server/http/console/catalogue': {
    may: [
      ...['server/http/request', 'server/http/api', 'server/http/console/route'],
      ...relay('admin'),
      ...['server/accounts', 'server/routing', ...billing],
      ...lower,
    ],
  },
  // Usage rows, and sums of them.
  'server/http/console/usage': {
    may: [
      'server/http/request',
      'server/http/console/route',
      'server/accounts',
      'server/batches',
      'server/bodies',
      'server/replay',
      ...billing,
      ...lower,
    ],
  },
  // The installation as a whole: setup, status, settings, export, overview, search, change events.
  'server/http/console/installation': {
    may: [
      ...[
        'server/http/request',
        'server/http/api',
        'server/http/console/route',
        'server/accounts',
        'server/accounts/factors',
        'server/accounts/teams',
        'server/alerts',
        'server/declare',
        'server/live',
        'server/routing',
      ],
      ...[...billing, ...lower],
    ],
  },
  'server/http/docs': { may: ['server/http/request', 'server/protocols', 'server/canonical', 'server/runtime', 'shared'] },
  'server/http': { may: ['server/http/request', 'server/http/api', 'server/bodies', ...lower], packages: ['elysia'] },
}
