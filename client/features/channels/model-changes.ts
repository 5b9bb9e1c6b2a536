/** Descriptions of unsaved model changes of a channel, for the save bar and the review. */
import type { ChannelRow } from '#shared/console/channel'
import { t } from './messages.ts'
import { namesOf } from './model-lines.ts'
import { differences } from './model-rows.ts'

type Models = ChannelRow['models']

/** A text for each kind of change. */
export function changeTexts(before: Models, after: Models): string[] {
  const { added, removed, moved } = differences(before, after)
  const texts = (
    [
      ['offerNames', added],
      ['leaveNames', removed],
      ['moveNames', moved],
    ] as const
  ).flatMap(([text, names]) => (names.length === 0 ? [] : t(text, { names: shortList(names) })))
  return texts.length > 0 ? texts : [t('models')]
}

/** A line for each model: what it was, and what it becomes. */
export function reviewLines(before: Models, after: Models): { label: string; before: string; after: string }[] {
  const { added, removed, moved } = differences(before, after)
  const upstreamIn = (models: Models, name: string) => models.map(namesOf).find((one) => one.name === name)?.upstream ?? ''
  return [
    ...added.map((label) => ({ label, before: '–', after: t('offeredWord') })),
    ...removed.map((label) => ({ label, before: t('offeredWord'), after: '–' })),
    ...moved.map((label) => ({ label, before: upstreamIn(before, label), after: upstreamIn(after, label) })),
  ]
}

/** At most four names, and how many more there are. */
const shortList = (names: readonly string[]) => [...names.slice(0, 4), ...(names.length > 4 ? [`+${names.length - 4}`] : [])].join(', ')
