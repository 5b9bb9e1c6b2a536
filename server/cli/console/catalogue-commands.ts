/** Commands for channels and prices. */
import type { ChannelRow } from '#shared/console/channel'
import type { CatalogueRow } from '#shared/console/inspection/catalogue'
import type { ProbeAnswer } from '#shared/console/inspection/probe'
import type { PriceChange, PriceFields, PriceRow } from '#shared/console/price'
import { CommandError } from './api.ts'
import { type Column, type Command, type Flag, facts, type Input, listOf, pick, table, wholeNumber } from './command.ts'
import { addressOf, createCommand, deleteCommand, listCommand, type Resource, setCommand, showCommand } from './resource.ts'

const seg = encodeURIComponent
const modelNames = (row: ChannelRow) => row.models.map((model) => (typeof model === 'string' ? model : model.name))

const channelColumns: readonly Column<ChannelRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['vendor', (row) => row.vendor],
  ['groups', (row) => row.groups.join(',')],
  ['models', (row) => modelNames(row).length],
  ['priority', (row) => row.priority],
  ['weight', (row) => row.weight],
  ['state', (row) => (row.enabled ? 'on' : 'off')],
  ['managed', (row) => row.managed],
]
const priceNames = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'reasoning',
  'request',
  'image',
  'second',
  'search',
  'character',
] as const
const priceColumns: readonly Column<PriceRow>[] = [
  ['model', (row) => row.model],
  ['input', (row) => row.input],
  ['output', (row) => row.output],
  ['cache read', (row) => row.cacheRead],
  ['request', (row) => row.request],
  ['tiers', (row) => row.tiers?.length ?? 0],
  ['managed', (row) => row.managed],
]
const channelFlags: Readonly<Record<string, Flag>> = {
  models: { value: 'A,B', help: 'Models' },
  groups: { value: 'A,B', help: 'Groups' },
  priority: { value: 'N', help: 'Higher first' },
  weight: { value: 'N', help: 'Share among channels of equal priority' },
  'base-url': { value: 'URL', help: 'Address; requires the keys again' },
  'keys-file': { value: 'FILE', help: 'File with one key per line, - for standard input' },
  tags: { value: 'A,B', help: 'Tags' },
}

async function channelFields({ flags, readText }: Input): Promise<Record<string, unknown>> {
  const lists = ['models', 'groups', 'tags'].flatMap((name) => (flags[name] === undefined ? [] : [[name, listOf(flags[name])]]))
  const numbers = Object.entries(pick(flags, ['priority', 'weight'])).map(([name, text]) => [name, wholeNumber(text, name)])
  const file = flags['keys-file']
  return {
    ...Object.fromEntries([...lists, ...numbers]),
    ...(flags['base-url'] !== undefined && { baseUrl: flags['base-url'] }),
    ...(file !== undefined && {
      keys: (await readText(file))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    }),
  }
}

const channels: Resource<ChannelRow> = { noun: 'channel', path: '/api/channels', columns: channelColumns }

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError('The file is not valid JSON.')
  }
}

const missingColumns: readonly Column<CatalogueRow>[] = [
  ['model', ({ model }) => model],
  ['state', ({ state }) => state],
  ['channels', ({ channels }) => channels.map(({ name }) => name).join(',')],
]
const changeColumns: readonly Column<PriceChange>[] = [
  ['at', ({ at }) => at],
  ['who', ({ actor, actorName }) => actorName ?? actor],
  ['before', ({ before }) => (before ? JSON.stringify(before) : null)],
  ['after', ({ after }) => (after ? JSON.stringify(after) : null)],
]

/** `channels` and `prices`. */
export const catalogueCommands: readonly Command[] = [
  listCommand(channels, 'Channels'),
  showCommand(channels),
  createCommand(
    channels,
    {
      vendor: { value: 'VENDOR', help: 'openai, anthropic, ...; required unless --file names it' },
      file: { value: 'FILE', help: 'JSON of POST /api/channels, - for standard input' },
      ...channelFlags,
    },
    async (input) => ({
      ...(input.flags.file !== undefined && (jsonOf(await input.readText(input.flags.file)) as object)),
      ...pick(input.flags, ['vendor']),
      ...(await channelFields(input)),
    }),
  ),
  setCommand(channels, channelFlags, channelFields),
  {
    words: 'channels test',
    args: ['CHANNEL'],
    flags: { model: { value: 'MODEL', help: 'The first one when absent' }, stream: { help: 'Ask for a stream' } },
    help: 'Sends a small real request with each key; exit code 1 when one fails',
    async run(input) {
      const question = { ...pick(input.flags, ['model']), ...(input.flags.stream !== undefined && { stream: true }) }
      const answer = await input.api.call<ProbeAnswer>('POST', `${await addressOf(channels, input)}/test`, question)
      return { value: answer, text: facts(answer), code: answer.ok ? 0 : 1 }
    },
  },
  deleteCommand(channels, 'Deletes a channel'),
  {
    words: 'prices list',
    help: 'Prices in USD per million tokens',
    async run({ api }) {
      const rows = await api.list<PriceRow>('/api/prices', 100_000)
      return { value: rows, text: table(rows, priceColumns, 'No prices.') }
    },
  },
  {
    words: 'prices show',
    args: ['MODEL'],
    help: 'The price of a model',
    async run({ api, args: [model] }) {
      const row = (await api.list<PriceRow>('/api/prices', 100_000)).find((price) => price.model === model)
      if (row === undefined) throw new CommandError(`There is no price for ${model}.`)
      return { value: row, text: facts(row) }
    },
  },
  {
    words: 'prices missing',
    help: 'Models that channels offer but nobody can call for lack of a price; exit code 1 when there is one',
    async run({ api }) {
      const lists = ['unpriced', 'incomplete'].map((status) => api.list<CatalogueRow>(`/api/catalogue?status=${status}`, 100_000))
      const rows = (await Promise.all(lists)).flat()
      return { value: rows, text: table(rows, missingColumns, 'Every model has a price.'), code: rows.length === 0 ? 0 : 1 }
    },
  },
  {
    words: 'prices history',
    args: ['MODEL'],
    help: 'Who changed the price of a model, newest first',
    async run({ api, args: [model = ''] }) {
      const rows = await api.list<PriceChange>(`/api/prices/${seg(model)}/history`)
      return { value: rows, text: table(rows, changeColumns, 'Nobody has changed it.') }
    },
  },
  {
    words: 'prices set',
    args: ['MODEL'],
    flags: Object.fromEntries(priceNames.map((name) => [dashed(name), { value: 'USD', help: `Price of ${name}` }])),
    help: 'Sets the whole price of a model: omitted amounts fall back to related prices',
    async run({ api, args: [model = ''], flags }) {
      const given = priceNames.flatMap((name) => (flags[dashed(name)] === undefined ? [] : [[name, flags[dashed(name)]]]))
      if (given.length === 0) throw new CommandError('Name at least one price, such as --input 1.25.', 2)
      const row = await api.call<PriceRow>('PUT', `/api/prices/${seg(model)}`, Object.fromEntries(given) as PriceFields)
      return { value: row, text: table([row], priceColumns, '') }
    },
  },
  {
    words: 'prices delete',
    args: ['MODEL'],
    help: 'Deletes the price of a model, requests for which are then refused',
    async run({ api, args: [model = ''] }) {
      await api.call('DELETE', `/api/prices/${seg(model)}`)
      return { value: { deleted: model }, text: `Deleted the price of ${model}.` }
    },
  },
]

/** `cacheWrite5m` as `cache-write-5m`. */
function dashed(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => `-${part.toLowerCase()}`)
}
