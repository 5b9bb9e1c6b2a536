/**
 * The price book: the resolved price of every model, from memory. Decides who may change a price (the file or the console) and owns
 * the built-in prices of the demo models. Arithmetic is in `rates.ts` and `cost.ts`.
 */
import type { Log } from '#runtime/log'
import { type Actor, theFile } from '#shared/console/audit'
import type { PriceFields } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import { sameValue } from '#shared/same-value'
import { audited, auditedAll } from '#store/accounts/audit'
import { deletePrice, loadPrice, loadPrices, type NewPrice, type PriceRecord, putPrices } from '#store/channels/prices'
import { mirror } from '#store/engine/mirror'
import type { Store } from '#store/engine/store'
import type { Price, PriceBook } from './price.ts'
import { resolveRates } from './rates.ts'

/** A price of the configuration file. */
export interface DeclaredPrice {
  model: string
  fields: PriceFields
}

/** The price book with its writes. */
export interface Prices extends PriceBook {
  /** When the price of this model was last changed; null if never, or before this was recorded. */
  changedAt(model: string): Date | null
  /** From the console. Rejects with what `resolveRates` throws, and with `managed_by_file`. */
  put(by: Actor, model: string, fields: PriceFields): Promise<Price>
  /** From the console. Rejects with `not_found` or `managed_by_file`. */
  remove(by: Actor, model: string): Promise<void>
  /**
   * All prices of the file: writes what differs and disables what was removed from it. Rejects before the first write, with `INDEX.FIELD`
   * as `param`: `name_taken` at `INDEX.model` for a price that was set in the console, or the fault of a field.
   */
  declare(rows: readonly DeclaredPrice[]): Promise<void>
}

/** Of the demo channel's models. */
const demoPrices: Readonly<Record<string, PriceFields>> = {
  'parley-demo': { input: '1', output: '2' },
  'parley-demo-embed': { input: '1', output: '2' },
  'parley-demo-image': { input: '1', output: '2' },
  'parley-demo-transcribe': { input: '1', output: '2' },
  'parley-demo-speech': { input: '1', output: '2' },
  'parley-demo-realtime': { input: '1', output: '2' },
  'parley-demo-rerank': { input: '1', output: '2' },
  'parley-demo-moderation': { input: '1', output: '2' },
}

/** Loads the price book. `demo()`: whether the demo channel is on; its models have built-in prices unless the operator sets one. */
export async function createPrices(parts: { store: Store; log: Log; demo: () => boolean }): Promise<Prices> {
  const { store, log, demo } = parts
  const book = new Map<string, Price>()

  const records = await mirror<PriceRecord>(store, {
    table: 'prices',
    id: (row) => row.model,
    loadAll: () => loadPrices(store),
    load: (model) => loadPrice(store, model),
    onChange: (model, row) => {
      const price = row?.enabled ? readable(row, log) : undefined
      if (price) book.set(model, price)
      else book.delete(model)
    },
  })

  const builtIn = new Map(Object.entries(demoPrices).map(([model, fields]) => [model, priceOf(model, fields, 'file')]))

  /** A price that was removed from the file may be taken over by the console. */
  function refuseManaged(record: PriceRecord | undefined): void {
    if (record?.enabled && record.managed === 'file') {
      throw new GatewayError('managed_by_file', 'This price is declared in the configuration file; change it there.')
    }
  }

  async function write(by: Actor, wanted: readonly NewPrice[]): Promise<void> {
    const changed = wanted.filter((row) => !sameValue(undated(records.get(row.model)), row))
    if (changed.length === 0) return
    const deeds = changed.map(({ model, enabled }) => ({ action: `price.${enabled ? 'put' : 'disable'}`, target: model }))
    const look = async (store: Store, models: readonly string[]) =>
      new Map((await loadPrices(store, models)).map((record) => [record.model, record]))
    await auditedAll(store, by, deeds, look, (store) => putPrices(store, changed))
  }

  return {
    get: (model) => book.get(model) ?? (demo() ? builtIn.get(model) : undefined),

    *all() {
      yield* book.values()
      if (demo()) yield* [...builtIn.values()].filter(({ model }) => !book.has(model))
    },

    changedAt: (model) => records.get(model)?.changedAt ?? null,

    async put(by, model, fields) {
      const price = priceOf(model, fields, 'console')
      refuseManaged(records.get(model))
      await write(by, [{ model, price: fields, managed: 'console', enabled: true }])
      return price
    },

    async remove(by, model) {
      const record = records.get(model)
      if (!record?.enabled) throw new GatewayError('not_found', 'There is no price for this model.')
      refuseManaged(record)
      const deed = { action: 'price.remove', target: model }
      await audited(
        store,
        by,
        deed,
        (store) => loadPrice(store, model),
        (store) => deletePrice(store, model),
      )
    },

    async declare(rows) {
      for (const [index, row] of rows.entries()) checkDeclared(row, index, records.get(row.model))
      const wanted = rows.map(({ model, fields }): NewPrice => ({ model, price: fields, managed: 'file', enabled: true }))
      const declared = new Set(rows.map((row) => row.model))
      const left = [...records.all()].filter(({ model, managed }) => managed === 'file' && !declared.has(model))
      await write(theFile, [...wanted, ...left.map(({ changedAt: _, ...record }) => ({ ...record, enabled: false }))])
    },
  }
}

function undated(record: PriceRecord | undefined): NewPrice | undefined {
  if (record === undefined) return undefined
  const { changedAt: _, ...row } = record
  return row
}

function priceOf(model: string, fields: PriceFields, managed: Price['managed']): Price {
  return { model, fields, rates: resolveRates(fields), managed }
}

/** A row that this build cannot resolve is skipped: its model is not offered, the others are. */
function readable(row: PriceRecord, log: Log): Price | undefined {
  try {
    return priceOf(row.model, row.price, row.managed)
  } catch (thrown) {
    log.error({ err: thrown, model: row.model }, 'a stored price cannot be read: its model is not offered')
    return undefined
  }
}

function checkDeclared({ fields }: DeclaredPrice, index: number, record: PriceRecord | undefined): void {
  if (record?.managed === 'console') {
    throw new GatewayError('name_taken', 'A price for this model was set in the console; delete it there first.', {
      param: `${index}.model`,
    })
  }
  try {
    resolveRates(fields)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new GatewayError(thrown.code, thrown.message, { param: `${index}.${thrown.param ?? 'model'}`, cause: thrown })
  }
}
