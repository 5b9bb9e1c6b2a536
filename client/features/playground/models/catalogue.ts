/** Groups and models that the payer may use. Each list is loaded once per payer, and again on `reload`. */
import { type Accessor, createSignal } from 'solid-js'
import { readGroups, readModels, readTeam } from '#client/api/groups-and-models.ts'
import { ApiError } from '#client/api/http.ts'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import type { TeamRow } from '#shared/console/team'

/** A list: loading, ready, or failed with an error. */
export type Listed<Row> = { state: 'loading' } | { state: 'ready'; rows: Row[] } | { state: 'failed'; error: ApiError }

/** The groups of the payer, and their models. Reading tracks, the payer too. */
export interface Catalogue {
  groups(): Listed<GroupRow>
  /** Models of a group, requested on first use. */
  models(group: string): Listed<ModelRow>
  model(group: string | null, id: string | null): ModelRow | undefined
  /** The paying team; undefined until loaded, and if the user pays. */
  team(): TeamRow | undefined
  /** Reloads everything; old data stays until then. */
  reload(): void
  /** Reloads the team, whose balance may have changed. */
  reloadTeam(): Promise<void>
}

/** What is known of one payer. */
type PayerLists = Omit<Catalogue, 'model'>

/** A catalogue that starts loading the groups at once. `payer`: the id of a team; undefined is the user. */
export function createCatalogue(payer: Accessor<string | undefined>): Catalogue {
  const byPayer = new Map<string | undefined, PayerLists>()
  const current = (): PayerLists => {
    const team = payer()
    const known = byPayer.get(team) ?? readLists(team)
    byPayer.set(team, known)
    return known
  }
  current()
  const models = (group: string) => current().models(group)
  return {
    groups: () => current().groups(),
    models,
    model(group, id) {
      const listed: Listed<ModelRow> = group === null ? { state: 'loading' } : models(group)
      return listed.state === 'ready' ? listed.rows.find((row) => row.id === id) : undefined
    },
    team: () => current().team(),
    reload: () => current().reload(),
    reloadTeam: () => current().reloadTeam(),
  }
}

function readLists(payer: string | undefined): PayerLists {
  // Signals, not resources: a list that is still loading must not suspend the page.
  const [groups, setGroups] = createSignal<Listed<GroupRow>>({ state: 'loading' })
  const [team, setTeam] = createSignal<TeamRow>()
  const [byGroup, setByGroup] = createSignal<ReadonlyMap<string, Listed<ModelRow>>>(new Map())
  const asked = new Set<string>()

  const reloadTeam = async () => {
    if (payer !== undefined) await readTeam(payer).then(setTeam, () => undefined)
  }
  const read = async () => {
    // The team is loaded before its groups: it contains its default group.
    await reloadTeam()
    setGroups(await list(readGroups(payer)))
  }
  const ask = async (group: string) => {
    asked.add(group)
    const answer = await list(readModels(group, payer))
    setByGroup((before) => new Map(before).set(group, answer))
  }
  void read()
  return {
    groups,
    team,
    models(group) {
      // The conversation's group is one of the user's, so it can be requested at once; a team may have others.
      if (payer !== undefined) {
        const listed = groups()
        if (listed.state !== 'ready') return listed
        if (!listed.rows.some(({ name }) => name === group)) return { state: 'failed', error: noSuchGroup() }
      }
      if (!asked.has(group)) void ask(group)
      return byGroup().get(group) ?? { state: 'loading' }
    },
    reload() {
      for (const group of asked) void ask(group)
      void read()
    },
    reloadTeam,
  }
}

const noSuchGroup = () => new ApiError('', { status: 403, code: 'group_not_allowed' })

async function list<Row>(reading: Promise<Row[]>): Promise<Listed<Row>> {
  try {
    return { state: 'ready', rows: await reading }
  } catch (thrown) {
    return { state: 'failed', error: thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'client_error' }) }
  }
}
