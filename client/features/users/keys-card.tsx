import { Show } from 'solid-js'
import { BudgetCell, limitsText } from '#client/console/budget-cell.tsx'
import { Ago } from '#client/console/lists/ago.tsx'
import { createPages, queryOf } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { LoadFailure } from '#client/console/when-loaded.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatDay } from '#client/ui/console/time.ts'
import type { KeyRow } from '#shared/console/key'
import { t } from './messages.ts'

/** The keys of a user, each a link to its page. */
export function KeysCard(props: { user: string }) {
  const pages = createPages<KeyRow>(() => `/api/keys?${queryOf({ all: 'true', user: props.user, limit: '50', sort: '-lastUsed' })}`)
  return (
    <Show when={pages.error() === undefined} fallback={<LoadFailure of={pages} />}>
      <DataTable
        label={t('keysOf')}
        rows={pages.value()}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'name',
            label: t('key'),
            card: 'title',
            cell: (row) => (
              <>
                <ShortName name={row.name} href={`/keys/${encodeURIComponent(row.id)}`} />
                <small class="mono">{row.hint}</small>
              </>
            ),
          },
          {
            id: 'group',
            label: t('inGroup'),
            cell: (row) => (
              <Show when={row.group} fallback={<span class="na">{t('asUser')}</span>}>
                <span class="bdg">{row.group}</span>
              </Show>
            ),
          },
          { id: 'models', label: t('models'), wide: true, cell: (row) => row.models?.join(', ') || t('modelsAll') },
          { id: 'budget', label: t('budget'), card: 'whole', cell: (row) => <BudgetCell row={row} /> },
          { id: 'limits', label: t('limits'), wide: true, cell: (row) => limitsText(row.limits) || <span class="na">{ts('none')}</span> },
          {
            id: 'expires',
            label: t('expires'),
            wide: true,
            cell: (row) => (row.expiresAt === null ? t('never') : formatDay(row.expiresAt)),
          },
          { id: 'seen', label: t('seen'), cell: (row) => <Ago at={row.lastUsedAt} /> },
          { id: 'on', label: t('on'), card: 'figure', cell: (row) => (row.enabled ? tc('on') : <span class="bdg">{tc('off')}</span>) },
        ]}
        empty={<p class="p-4 text-[13px] text-ink-2">{t('keysNone')}</p>}
        more={pages.more()}
      />
    </Show>
  )
}
