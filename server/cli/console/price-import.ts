/** `import prices`: prices from public catalogues, shown as a difference before they are written. */
import { changedFields, findEntry, providersOf, readCatalogue } from '#shared/catalogue-file'
import type { ChannelRow } from '#shared/console/channel'
import type { PriceFields, PriceRow } from '#shared/console/price'
import { CommandError } from './api.ts'
import { type Command, type Input, type Output, table } from './command.ts'

/** The command. */
export const importPricesCommand: Command = {
  words: 'import prices',
  args: ['FILE'],
  flags: { yes: { help: 'Do not ask; required without a terminal' }, all: { help: 'Also change models that have a price' } },
  help: 'Shows prices of the models here from models.dev’s api.json or LiteLLM’s price file, asks, and writes them',
  run: importPrices,
}

interface PriceChange {
  model: string
  provider: string
  before: PriceFields | null
  after: PriceFields
  fields: string[]
}

async function importPrices({ api, args: [file = ''], flags, readText, confirm, say }: Input): Promise<Output> {
  const entries = readCatalogue(await readText(file))
  if (entries === undefined)
    throw new CommandError('The file is neither models.dev’s api.json nor LiteLLM’s model_prices_and_context_window.json.')
  const [channels, rows] = await Promise.all([api.list<ChannelRow>('/api/channels'), api.list<PriceRow>('/api/prices', 100_000)])
  const present = new Map(rows.map((row) => [row.model, row]))
  const providers = new Map<string, Set<string>>()
  for (const { vendor, models } of channels) {
    for (const model of models) {
      const name = typeof model === 'string' ? model : model.name
      providers.set(name, new Set([...(providers.get(name) ?? []), ...providersOf(vendor)]))
    }
  }
  const changes = [...providers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([model, known]): PriceChange[] => {
      const row = present.get(model)
      if (row?.managed === 'file' || (row !== undefined && flags.all === undefined)) return []
      const entry = findEntry(entries, model, [...known])
      if (entry === undefined) return []
      const { model: _, managed: __, ...before } = row ?? { model, managed: 'console' as const }
      const differing = changedFields(row && before, entry.price)
      if (differing.length === 0) return []
      const shown = differing.map(({ field, from, to }) => `${field} ${from ?? '-'} -> ${to}`)
      return [{ model, provider: entry.provider, before: row ? before : null, after: { ...before, ...entry.price }, fields: shown }]
    })
  const text = table<PriceChange>(
    changes,
    [
      ['model', ({ model }) => model],
      ['from', ({ provider }) => provider],
      ['price', ({ fields }) => fields.join(', ')],
    ],
    'The catalogue says nothing new of the models offered here.',
  )
  if (changes.length === 0) return { value: { changes, written: 0 }, text }
  say(text)
  if (flags.yes === undefined && !(await confirm('Write this?'))) throw new CommandError('Nothing was written. Answer y, or pass --yes.')
  let written = 0
  for (const { model, after } of changes) {
    try {
      await api.call('PUT', `/api/prices/${encodeURIComponent(model)}`, after)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      throw new CommandError(`${written} of ${changes.length} prices were written, each whole. ${model} was not: ${why}`)
    }
    written += 1
  }
  return { value: { changes, written }, text: `${written} ${written === 1 ? 'price' : 'prices'} written.` }
}
