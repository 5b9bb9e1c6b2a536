/** The models of a channel in the editor: those offered, and others that the upstream lists. Pure. */
import type { ChannelModel } from './model-lines.ts'
import { namesOf } from './model-lines.ts'

/** A name that is, was or could be offered. */
export interface ModelLine {
  name: string
  /** The upstream's name for it. */
  upstream: string
  /** The saved or edited model; undefined if only the upstream lists it. */
  model: ChannelModel | undefined
  offered: boolean
  /** Compared with the upstream's list; undefined until that is fetched. */
  change: 'new' | 'gone' | undefined
}

/** Which lines are shown. */
export type LineKind = 'all' | 'new' | 'gone' | 'offered'

/** The editor's state: the known models, and the names of those that are not offered. */
export interface ModelDraft {
  models: readonly ChannelModel[]
  left: ReadonlySet<string>
}

/** Initially all saved models are offered. */
export const draftOf = (models: readonly ChannelModel[]): ModelDraft => ({ models, left: new Set() })

/** The lines of the table: known models in order, then those that only the upstream lists. `saved`: those offered now. */
export function linesOfDraft(draft: ModelDraft, saved: readonly ChannelModel[], listed: readonly string[] | undefined): ModelLine[] {
  const there = listed && new Set(listed)
  const before = new Set(saved.map((model) => namesOf(model).upstream))
  const changeOf = (upstream: string) => (!there?.has(upstream) ? there && 'gone' : before.has(upstream) ? undefined : 'new')
  const known = draft.models.map((model): ModelLine => {
    const { name, upstream } = namesOf(model)
    return { name, upstream, model, offered: !draft.left.has(name), change: changeOf(upstream) }
  })
  const taken = new Set(known.flatMap(({ name, upstream }) => [name, upstream]))
  const fresh = (listed ?? []).filter((id) => !taken.has(id))
  return [...known, ...fresh.map((id): ModelLine => ({ name: id, upstream: id, model: undefined, offered: false, change: 'new' }))]
}

/** The lines with this text in one of their names. */
export function found(lines: readonly ModelLine[], text: string, kind: LineKind): ModelLine[] {
  const words = text.toLowerCase()
  const fits = (line: ModelLine) => kind === 'all' || (kind === 'offered' ? line.offered : line.change === kind)
  return lines.filter((line) => fits(line) && `${line.name} ${line.upstream}`.toLowerCase().includes(words))
}

/** The draft with these lines offered, or not. */
export function offering(draft: ModelDraft, lines: readonly ModelLine[], offered: boolean): ModelDraft {
  const left = new Set(draft.left)
  for (const { name } of lines)
    if (offered) left.delete(name)
    else left.add(name)
  const known = new Set(draft.models.map((model) => namesOf(model).name))
  const fresh = offered ? lines.filter(({ name }) => !known.has(name)).map(({ name }) => name) : []
  return { models: [...draft.models, ...fresh], left }
}

/** The draft with more models, which are offered; an existing one is replaced. */
export function adding(draft: ModelDraft, models: readonly ChannelModel[]): ModelDraft {
  const given = new Map(models.map((model) => [namesOf(model).name, model]))
  const kept = draft.models.map((model) => given.get(namesOf(model).name) ?? model)
  const known = new Set(kept.map((model) => namesOf(model).name))
  const left = new Set([...draft.left].filter((name) => !given.has(name)))
  return { models: [...kept, ...[...given].filter(([name]) => !known.has(name)).map(([, model]) => model)], left }
}

/** The draft with one of its models renamed; its capabilities stay. */
export function renaming(draft: ModelDraft, name: string, next: { name: string; upstream: string }): ModelDraft {
  const renamed = draft.models.map((model): ChannelModel => {
    if (namesOf(model).name !== name) return model
    const capabilities = typeof model === 'string' ? undefined : model.capabilities
    const own = next.upstream === '' || next.upstream === next.name
    if (own && capabilities === undefined) return next.name
    return { name: next.name, ...(!own && { upstream: next.upstream }), ...(capabilities && { capabilities }) }
  })
  return { models: renamed, left: new Set([...draft.left].map((one) => (one === name ? next.name : one))) }
}

/** The draft without this model. */
export const removing = (draft: ModelDraft, name: string): ModelDraft => ({
  models: draft.models.filter((model) => namesOf(model).name !== name),
  left: new Set([...draft.left].filter((one) => one !== name)),
})

/** The models to be saved. */
export const offeredOf = ({ models, left }: ModelDraft): ChannelModel[] => models.filter((model) => !left.has(namesOf(model).name))

/** What differs between two lists of models: names. */
export function differences(before: readonly ChannelModel[], after: readonly ChannelModel[]) {
  const upstreams = (models: readonly ChannelModel[]) => new Map(models.map(namesOf).map(({ name, upstream }) => [name, upstream]))
  const [was, is] = [upstreams(before), upstreams(after)]
  return {
    added: [...is.keys()].filter((name) => !was.has(name)),
    removed: [...was.keys()].filter((name) => !is.has(name)),
    moved: [...is].filter(([name, upstream]) => was.has(name) && was.get(name) !== upstream).map(([name]) => name),
  }
}
