/** Teams: the user's own, or all for administrators. The open one is in the URL. */
import { createSignal, For, Show, Suspense } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { useSession } from '#client/api/session.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { createSoon } from '#client/console/soon.ts'
import { LoadFailure } from '#client/console/when-loaded.tsx'
import { Button } from '#client/ui/button.tsx'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'
import { leastMs, TeamView } from './team-view.tsx'
import './teams.css'

const TeamDialog = later(async () => (await import('./team-dialog.tsx')).TeamDialog)

/** `/team`: the user's teams. */
export const OwnTeamsPage = () => <Teams path="/team" title={t('own')} all={false} />

/** `/admin/teams`: every team. */
export const TeamsPage = () => <Teams path="/admin/teams" title={t('title')} all />

function Teams(props: { path: string; title: string; all: boolean }) {
  const url = useUrlState()
  const { admin } = useSession()
  const [adding, setAdding] = createSignal(false)
  const all = createLoad(
    () => '/api/teams',
    (path, signal) => readAll<TeamRow>(path, signal),
  )
  onChange(
    ['teams', 'requests'],
    createSoon(leastMs, () => void all.reload()),
  )
  /** Administrators see all teams under `/admin/teams`, and here only their own. */
  const teams = () => all.value()?.filter((team) => props.all || team.role !== null)
  const open = () => teams()?.find(({ id }) => id === url.get('open')) ?? teams()?.[0]
  const put = (row: TeamRow) => all.set([...(all.value() ?? []).filter(({ id }) => id !== row.id), row].toSorted(byName))
  return (
    <Page
      title={props.title}
      actions={
        <Show when={props.all}>
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        </Show>
      }
    >
      <LoadFailure of={all} />
      <Show when={all.value() || all.error()} fallback={<Skeleton />}>
        <Show
          when={open()}
          fallback={
            <Show when={!all.error()}>
              <div class="table-frame">
                <Empty
                  title={t('none')}
                  action={
                    !props.all &&
                    admin() && (
                      <a class="btn" href="/admin/teams">
                        {t('toAll')}
                      </a>
                    )
                  }
                >
                  {t(props.all ? 'noneAdmin' : admin() ? 'noneOwnAdmin' : 'noneOwn')}
                </Empty>
              </div>
            </Show>
          }
        >
          {(team) => (
            <div class="teams">
              <nav aria-label={t('list')}>
                <For each={teams()}>
                  {(row) => (
                    <a href={`${props.path}?open=${encodeURIComponent(row.id)}`} aria-current={row.id === team().id ? 'true' : undefined}>
                      <Monogram name={row.name} />
                      <span class="min-w-0 flex-1">
                        <b class="truncate">{row.name}</b>
                        <small>{row.enabled ? t('memberCount', { count: row.members }) : t('off')}</small>
                      </span>
                      <span class="num">{formatMoney(row.balance)}</span>
                    </a>
                  )}
                </For>
              </nav>
              <Show when={team().id} keyed>
                <TeamView
                  team={team()}
                  admin={admin()}
                  onChange={put}
                  onReload={() => void all.reload()}
                  onGone={() => {
                    url.set({ open: '' }, { replace: true })
                    void all.reload()
                  }}
                />
              </Show>
            </div>
          )}
        </Show>
      </Show>
      <Suspense>
        <Show when={adding()}>
          <TeamDialog
            onClose={() => setAdding(false)}
            onDone={(row) => {
              put(row)
              setAdding(false)
              url.set({ open: row.id })
            }}
          />
        </Show>
      </Suspense>
    </Page>
  )
}

const byName = (a: TeamRow, b: TeamRow) => (a.name < b.name ? -1 : 1)
