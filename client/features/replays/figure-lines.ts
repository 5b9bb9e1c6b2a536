/** The figures of a request and its replays as lines of text. */
import { formatDuration } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import type { ReplayFigures, ReplayItemRow } from '#shared/console/replay'
import { t } from './messages.ts'
import { differenceText, shareText } from './target-text.ts'

/** A figure of the original and of each replay. */
export interface FigureLine {
  label: string
  original: string
  /** In the order of the items; `note`: how it differs from the original. */
  replays: { text: string; note: string }[]
  /** The columns with the smallest value, 0 for the original; empty if less is not better, or all are equal. */
  best: number[]
}

/** Shown for a missing figure. */
const nothing = '–'

interface Figure {
  label: string
  text(figures: ReplayFigures): string | undefined
  /** The value that is compared with the original's. */
  value?(figures: ReplayFigures): number | undefined
  isLessBetter?: boolean
  note?(item: ReplayItemRow): string | undefined
}

const figures = (): Figure[] => [
  { label: t('cost'), text: ({ charged }) => formatMoney(charged), value: ({ charged }) => Number(charged), isLessBetter: true },
  {
    label: t('firstToken'),
    text: ({ firstTokenMs }) => (firstTokenMs === null ? undefined : formatDuration(firstTokenMs)),
    value: ({ firstTokenMs }) => firstTokenMs ?? undefined,
    isLessBetter: true,
  },
  { label: t('time'), text: ({ totalMs }) => formatDuration(totalMs), value: ({ totalMs }) => totalMs, isLessBetter: true },
  {
    label: t('tokens'),
    text: ({ tokensIn, tokensOut }) => (tokensIn === undefined ? undefined : `${tokensIn} / ${tokensOut}`),
    value: ({ tokensOut }) => tokensOut,
  },
  { label: t('text'), text: ({ answer }) => answer && t('words', { count: answer.words }), note: (item) => differenceText(item) },
  {
    label: t('calls'),
    text: ({ answer }) => answer && String(answer.calls),
    note: ({ difference }) => difference?.calls && t(difference.calls),
  },
  { label: t('finish'), text: ({ answer }) => answer?.finish ?? undefined },
  { label: t('losses'), text: ({ losses }) => String(losses) },
]

/** The figures of one request and its replays. Failed ones are not compared: they are cheap because they did nothing. */
export function figureLines(items: readonly ReplayItemRow[]): FigureLine[] {
  const original = items.find((item) => item.original)?.original
  return figures().map(({ label, text, value, note, isLessBetter }) => {
    const before = original && value?.(original)
    const values = [before, ...items.map(({ state, result }) => (state === 'done' && result ? value?.(result) : undefined))]
    return {
      label,
      original: (original && text(original)) ?? nothing,
      replays: items.map((item, n) => {
        const now = values[n + 1]
        const share = typeof before === 'number' && typeof now === 'number' ? shareText(now, before) : ''
        return { text: (item.result && text(item.result)) ?? nothing, note: note?.(item) ?? share }
      }),
      best: isLessBetter ? leastOf(values) : [],
    }
  })
}

function leastOf(values: readonly (number | null | undefined)[]): number[] {
  const known = values.filter((value) => typeof value === 'number')
  const least = Math.min(...known)
  const places = values.flatMap((value, n) => (value === least ? [n] : []))
  return places.length === values.length ? [] : places
}
