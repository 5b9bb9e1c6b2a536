/** Groups and models that the user may call. Models are read once per group, and again on `reload`. */
import { createSignal } from 'solid-js'
import { readGroups, readModels } from '#client/api/groups-and-models.ts'
import { ApiError } from '#client/api/http.ts'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'

/** A list: loading, ready, or failed with an error. */
export type Listed<Row> = { state: 'loading' } | { state: 'ready'; rows: Row[] } | { state: 'failed'; error: ApiError }

/** The groups, and their models. Reading tracks. */
export interface Catalogue {
  groups(): Listed<GroupRow>
  /** Models of a group, requested on first use. Tracks. */
  models(group: string): Listed<ModelRow>
  model(group: string | null, id: string | null): ModelRow | undefined
  /** Reads everything again; what was read before stays until then. */
  reload(): void
}

/** A catalogue that starts reading the groups at once. */
export function createCatalogue(): Catalogue {
  // Signals, not resources: a list that is still loading must not suspend the page.
  const [groups, setGroups] = createSignal<Listed<GroupRow>>({ state: 'loading' })
  const readAgain = async () => setGroups(await list(readGroups()))
  void readAgain()
  const [byGroup, setByGroup] = createSignal<ReadonlyMap<string, Listed<ModelRow>>>(new Map())
  const asked = new Set<string>()

  const ask = async (group: string) => {
    asked.add(group)
    const answer = await list(readModels(group))
    setByGroup((before) => new Map(before).set(group, answer))
  }
  const models = (group: string): Listed<ModelRow> => {
    if (!asked.has(group)) void ask(group)
    return byGroup().get(group) ?? { state: 'loading' }
  }
  return {
    groups,
    models,
    model(group, id) {
      const listed: Listed<ModelRow> = group === null ? { state: 'loading' } : models(group)
      return listed.state === 'ready' ? listed.rows.find((row) => row.id === id) : undefined
    },
    reload() {
      for (const group of asked) void ask(group)
      void readAgain()
    },
  }
}

async function list<Row>(reading: Promise<Row[]>): Promise<Listed<Row>> {
  try {
    return { state: 'ready', rows: await reading }
  } catch (thrown) {
    return { state: 'failed', error: thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'client_error' }) }
  }
}
