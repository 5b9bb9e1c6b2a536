/** One user: money, permissions, and links to more. */
import { useNavigate, useParams } from '@solidjs/router'
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { KeptDeletion } from '#client/console/kept-deletion.tsx'
import { asApiError, createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { createDraft, createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { CopyId } from '#client/ui/console/copy.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { Badges, FileBadge } from '#client/ui/console/status.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { AccountRow } from '#shared/console/user'
import { FactorReset } from './factor-reset.tsx'
import { KeysCard } from './keys-card.tsx'
import { LedgerCard } from './ledger-card.tsx'
import { t } from './messages.ts'
import { changesBetween, draftOf, fieldsOf } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'
import { UserSessions } from './user-sessions.tsx'
import { UserStrip } from './user-strip.tsx'

const CreditDialog = later(async () => (await import('#client/console/dialogs/credit-dialog.tsx')).CreditDialog<AccountRow>)
const RemoveUserDialog = later(async () => (await import('./user-dialogs.tsx')).RemoveUserDialog)

const tabs = ['ledger', 'keys', 'sessions', 'settings'] as const

/** `/admin/users/:id` */
export function UserPage() {
  const params = useParams<{ id: string }>()
  const navigate = useNavigate()
  const url = useUrlState()
  const [asking, setAsking] = createSignal<'credit' | 'remove' | null>(null)
  const known = createLoad(
    () => params.id,
    (id, signal) => callApi<AccountRow>('GET', `/api/users/${encodeURIComponent(id)}`, undefined, signal),
  )
  const user = () => (known.value()?.id === params.id ? known.value() : undefined)
  const tab = () => tabs.find((one) => one === url.get('tab')) ?? 'ledger'
  const turn = async (row: AccountRow, enabled: boolean) => {
    try {
      known.set(await callApi<AccountRow>('PATCH', `/api/users/${encodeURIComponent(row.id)}`, { enabled }))
      const text = t(enabled ? 'turnedOn' : 'turnedOff', { name: row.name })
      showToast(text, { label: t('undo'), run: () => void turn(row, !enabled) })
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
  }
  return (
    <Page
      title={user()?.name ?? t('user')}
      above={[{ label: t('title'), href: '/admin/users' }]}
      mark={<Show when={user()}>{(row) => <Badges names={row().groups} />}</Show>}
      actions={
        <Show when={user()}>
          {(row) => (
            <>
              <Show when={row().managed === 'console'} fallback={<FileBadge />}>
                <Toggle label={t('switchLabel', { name: row().name })} on={row().enabled} onChange={(on) => void turn(row(), on)} />
              </Show>
              <Button icon="plus" onClick={() => setAsking('credit')}>
                {t('credit')}
              </Button>
            </>
          )}
        </Show>
      }
      tabs={
        <LinkTabs
          label={t('tabs')}
          current={tab()}
          tabs={[
            { id: 'ledger', label: t('ledger') },
            { id: 'keys', label: t('keys') },
            { id: 'sessions', label: t('sessions') },
            { id: 'settings', label: t('tabSettings') },
          ]}
          href={(id) => `/admin/users/${encodeURIComponent(params.id)}${id === 'ledger' ? '' : `?tab=${id}`}`}
        />
      }
    >
      <WhenLoaded
        of={{ ...known, value: user }}
        missing={{ title: t('notFound'), why: t('notFoundWhy'), href: '/admin/users', toList: t('toUsers') }}
      >
        {(row) => <Settings row={row()} tab={tab()} onSaved={known.set} onRemove={() => setAsking('remove')} />}
      </WhenLoaded>
      <Suspense>
        <Show when={asking() === 'credit' && user()}>
          {(row) => (
            <CreditDialog
              of="user"
              row={row()}
              onClose={() => setAsking(null)}
              onDone={(next) => {
                known.set(next)
                setAsking(null)
              }}
            />
          )}
        </Show>
        <Show when={asking() === 'remove' && user()}>
          {(row) => <RemoveUserDialog row={row()} onClose={() => setAsking(null)} onDone={() => navigate('/admin/users')} />}
        </Show>
      </Suspense>
    </Page>
  )
}

/** The tabs: edits survive switching between them. */
function Settings(props: { row: AccountRow; tab: (typeof tabs)[number]; onSaved(row: AccountRow): void; onRemove(): void }) {
  const [draft, setDraft] = createDraft(() => props.row, draftOf)
  const write = createWrite()
  const readonly = () => props.row.managed === 'file'
  const changes = () => (readonly() ? [] : changesBetween(draftOf(props.row), draft()))
  // A management key is valid only for the role it was created with.
  const endedKeys = () => (draft().role === props.row.role ? 0 : props.row.managementKeys)
  const roleHint = () => (endedKeys() > 0 ? t('roleEndsKeys', { count: endedKeys() }) : undefined)
  const save = async () => {
    const fields = fieldsOf(draft())
    const ended = endedKeys()
    const patch = Object.fromEntries(changes().map((name) => [name, fields[name as keyof typeof fields]]))
    const done = await write.run(async () => {
      props.onSaved(await callApi<AccountRow>('PATCH', `/api/users/${encodeURIComponent(props.row.id)}`, patch))
    })
    if (done) showToast(ended > 0 ? t('savedKeysEnded', { count: ended }) : t('saved'))
  }
  const links = () => [
    { label: t('requestsOf'), href: `/requests?user=${encodeURIComponent(props.row.id)}&range=30d` },
    { label: t('usageOf'), href: `/usage?user=${encodeURIComponent(props.row.id)}` },
    { label: t('entries'), href: `/admin/audit?target=${encodeURIComponent(props.row.id)}&action=user` },
  ]
  return (
    <>
      <div class="stack mb-6" hidden={props.tab !== 'ledger'}>
        <UserStrip row={props.row} />
        <p class="flex flex-wrap items-center gap-x-5 gap-y-1 text-[13px]">
          {links().map((link) => (
            <a href={link.href}>{link.label}</a>
          ))}
          <CopyId id={props.row.id} what={t('userId')} />
        </p>
        <LedgerCard user={props.row.id} balance={props.row.balance} />
      </div>
      <Show when={props.tab === 'keys'}>
        <KeysCard user={props.row.id} />
      </Show>
      <Show when={props.tab === 'sessions'}>
        <UserSessions row={props.row} />
      </Show>
      <Show when={readonly() && props.tab === 'settings'}>
        <p class="notice mb-6">{t('managed')}</p>
      </Show>
      <form
        class="form"
        hidden={props.tab !== 'settings'}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <UserFields draft={draft()} error={write.error()} readonly={readonly()} roleHint={roleHint()} onChange={setDraft} />
      </form>
      <Show when={props.tab === 'settings'}>
        <div class="max-w-[760px]">
          <Card title={t('danger')} bad>
            <div class="stack">
              <KeptDeletion of={{ user: props.row.id }} name={props.row.name} />
              <FactorReset row={props.row} />
              <Show when={!readonly()}>
                <div class="flex flex-wrap items-center gap-3 text-[13px]">
                  <span class="min-w-0 flex-1 text-ink-2">{t('dangerWhy')}</span>
                  <Button look="bad" onClick={() => props.onRemove()}>
                    {t('remove')}
                  </Button>
                </div>
              </Show>
            </div>
          </Card>
        </div>
      </Show>
      <SaveBar
        changes={changes().map((name) => t(`change_${name}` as 'change_name'))}
        tabsKeep
        busy={write.busy()}
        error={write.error() && explain(write.error() as never)}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setDraft(draftOf(props.row))
        }}
      />
    </>
  )
}
