/** What is changed of several channels at once: only what differs from channel to channel by being added or taken away. Pure. */
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'

/** The fields of the form; what is empty changes nothing. */
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

/** What is sent for a channel; undefined where the edit leaves it as it is. */
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
