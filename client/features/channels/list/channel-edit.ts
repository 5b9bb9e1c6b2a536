/** Edits several channels at once: sets numbers, adds and removes tags and groups. Pure. */
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'

/** The form; empty fields change nothing. */
export interface ChannelEdit {
  priority: string
  weight: string
  /** Separated by commas. */
  addTags: string
  removeTags: string
  addGroups: readonly string[]
  removeGroups: readonly string[]
}

/** Nothing changes. */
export const noEdit: ChannelEdit = { priority: '', weight: '', addTags: '', removeTags: '', addGroups: [], removeGroups: [] }

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

const merged = (now: readonly string[], add: readonly string[], remove: readonly string[]): string[] => [
  ...new Set([...now, ...add].filter((name) => !remove.includes(name))),
]

/** The patch for a channel; undefined if nothing changes. */
export function patchFor(row: ChannelRow, edit: ChannelEdit): ChannelPatch | undefined {
  const tags = merged(row.tags, namesIn(edit.addTags), namesIn(edit.removeTags))
  const groups = merged(row.groups, edit.addGroups, edit.removeGroups)
  const [priority, weight] = [edit.priority, edit.weight].map((text) => (text.trim() === '' ? undefined : Number(text)))
  const patch: ChannelPatch = {
    ...(priority !== undefined && priority !== row.priority && { priority }),
    ...(weight !== undefined && weight !== row.weight && { weight }),
    ...(String(tags) !== String(row.tags) && { tags }),
    ...(String(groups) !== String(row.groups) && { groups }),
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}
