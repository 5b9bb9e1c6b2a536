/** Descriptions of the channel endpoints: configuration, health, upstream models. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list } from './console-route-doc.ts'

/** Descriptions of the channels' endpoints. */
export const channelRouteDocs: readonly RouteDoc[] = [
  list(
    'GET /api/channels',
    'admin',
    'Channels',
    'Channels',
    inQuery({
      q: 'Part of a name, an address, a tag or a model.',
      group: 'Name of a group that they serve.',
      vendor: 'Id of a vendor.',
      tag: 'One of their tags.',
      model: 'Name of a model that they offer.',
      status: '`healthy`, `degraded` (partly resting), `open` (entirely resting) or `off`.',
      sort: '`created`, `name`, `priority` or `status` (resting ones first); a leading `-` reverses the order.',
    }),
  ),
  doc('GET /api/channels/totals', 'admin', 'How many channels there are in each state', { gives: 'ChannelTotals' }),
  list(
    'GET /api/channels/outcomes',
    'admin',
    'How attempts on each channel ended in the last hour',
    'ChannelAttempts',
    [],
    'In slices of time, as seen by the answering instance since its start. Channels without attempts have no row.',
  ),
  doc('POST /api/channels', 'admin', 'Create a channel', { takes: 'NewChannel', gives: 'Channel', status: 201 }),
  doc('GET /api/channels/:id', 'admin', 'One channel', { gives: 'Channel' }),
  doc('PATCH /api/channels/:id', 'admin', 'Change a channel', { takes: 'ChannelPatch', gives: 'Channel' }),
  doc('PATCH /api/channels/:id/keys/:key', 'admin', 'Change a key of a channel', {
    ...{ takes: 'ChannelKeyPatch', gives: 'Channel' },
    description: 'Its name, its weight, and whether it is used; the secret stays.',
  }),
  doc('DELETE /api/channels/:id', 'admin', 'Delete a channel'),
  doc('GET /api/channels/:id/health', 'admin', 'Health of a channel', { gives: 'ChannelHealth' }),
  doc('POST /api/channels/:id/reset', 'admin', 'Reset the health of a channel', {
    takes: 'HealthReset',
    optional: true,
    gives: 'ChannelHealth',
    description: 'Without a body, all of it; with one, the named row.',
  }),
  doc('GET /api/channels/:id/outcomes', 'admin', 'How attempts on a channel ended in the last hour', {
    gives: 'ChannelOutcomes',
    description: 'By key and model, in slices of time, as seen by the answering instance since its start.',
  }),
  doc('POST /api/channels/:id/test', 'admin', 'Test a channel', {
    takes: 'ProbeQuestion',
    gives: 'ProbeAnswer',
    description:
      'Sends a small real request with each of its keys. Nobody is charged, and the result does not affect the channel’s health. With `detail` the response includes the model’s output, its tokens and cost, and the beginning of the body or of the events.',
  }),
  doc('GET /api/channels/:id/models', 'admin', 'Models that a channel’s upstream lists', { gives: 'UpstreamModels' }),
  doc('POST /api/channels/models', 'admin', 'Models that the upstream of a new channel lists', {
    takes: 'ChannelDraft',
    gives: 'UpstreamModels',
    description: 'For a channel that does not exist yet. Nothing is stored.',
  }),
  doc('GET /api/health', 'admin', 'Everything that is resting now, of all channels', {
    gives: 'Ailments',
    parameters: inQuery({ lately: '`true`: also what failed recently without resting; its `state` is `closed`.' }),
  }),
]
