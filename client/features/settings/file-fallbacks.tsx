import { For } from 'solid-js'
import { causes } from '#client/console/fallback-lines.ts'
import { FileBadge } from '#client/ui/console/status.tsx'
import type { SettingsRow } from '#shared/console/settings'
import { t } from './messages.ts'

/** The labels of the causes. */
export const causeLabels = { error: 'afterError', context: 'afterContext', filter: 'afterFilter' } as const

/** The fallbacks that parley.yaml declares, read-only. */
export function FileFallbacks(props: { row: SettingsRow }) {
  const lists = (model: string) =>
    causes.flatMap((cause) => {
      const names = props.row.fallbacks[model]?.[cause]
      return names ? [`${t(causeLabels[cause])}: ${names.join(', ')}`] : []
    })
  return (
    <ul>
      <For each={props.row.managedByFile.fallbacks}>
        {(model) => (
          <li class="list-line">
            <span class="min-w-0 flex-1">
              <b class="mono">{model}</b>
              <small>{lists(model).join('; ')}</small>
            </span>
            <FileBadge />
          </li>
        )}
      </For>
    </ul>
  )
}
