/** One key: spend, permissions and samples. */
import { useNavigate, useParams } from '@solidjs/router'
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { KeptDeletion } from '#client/console/kept-deletion.tsx'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { createDraft, createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { Fieldset } from '#client/ui/console/form.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { KeyRow } from '#shared/console/key'
import { changesBetween, draftOf, fieldsOf } from './draft.ts'
import { LimitFields, NameFields, UseFields } from './key-fields.tsx'
import { KeyFigures } from './key-figures.tsx'
import { KeySamples } from './key-samples.tsx'
import { t } from './messages.ts'
import { NewKey } from './new-key.tsx'

const RotateDialog = later(async () => (await import('./key-dialogs.tsx')).RotateDialog)
const RevokeDialog = later(async () => (await import('./key-dialogs.tsx')).RevokeDialog)

/** `/keys/:id` */
export function KeyPage() {
  const params = useParams<{ id: string }>()
  const url = useUrlState()
  const navigate = useNavigate()
  const path = () => `/api/keys/${encodeURIComponent(params.id)}`
  const key = createLoad(path, (asked, signal) => callApi<KeyRow>('GET', asked, undefined, signal))
  const [asking, setAsking] = createSignal<'rotate' | 'revoke' | null>(null)
  const tab = () => (url.get('tab') === 'use' ? 'use' : 'settings')
  const above = [{ label: t('title'), href: '/keys' }]
  const open = (row: KeyRow) => row.managed === 'console'
  const turning = createWrite()
  const turn = async (row: KeyRow, enabled: boolean) => {
    const done = await turning.run(async () => key.set(await callApi<KeyRow>('PATCH', path(), { enabled })))
    if (done) showToast(t(enabled ? 'turnedOn' : 'turnedOff', { name: row.name }))
  }

  return (
    <Page
      title={key.value()?.name ?? t('key')}
      above={above}
      mark={
        <Show when={key.value()}>
          {(row) => (
            <span class="flex items-center gap-1 text-ink-3">
              <span class="mono">{row().hint}</span>
              <CopyButton text={row().id} what={t('id')} />
            </span>
          )}
        </Show>
      }
      actions={
        <Show when={key.value()}>
          {(row) => (
            <Show when={open(row())}>
              <Button busy={turning.busy()} onClick={() => void turn(row(), !row().enabled)}>
                {t(row().enabled ? 'turnOff' : 'turnOn')}
              </Button>
              <Button icon="redo" onClick={() => setAsking('rotate')}>
                {t('rotate')}
              </Button>
            </Show>
          )}
        </Show>
      }
      tabs={
        <LinkTabs
          label={t('tabs')}
          current={tab()}
          tabs={[
            { id: 'settings', label: t('tabSettings') },
            { id: 'use', label: t('tabUse') },
          ]}
          href={(id) => `/keys/${encodeURIComponent(params.id)}${id === 'use' ? '?tab=use' : ''}`}
        />
      }
    >
      <NewKey />
      <Refusal of={turning} class="mb-4" />
      <WhenLoaded of={key} missing={{ title: t('notFound'), why: t('notFoundWhy'), href: '/keys', toList: t('toKeys') }}>
        {(row) => (
          <Show when={tab() === 'settings'} fallback={<KeySamples row={row()} />}>
            <Settings row={row()} onSaved={key.set} onRevoke={() => setAsking('revoke')} />
          </Show>
        )}
      </WhenLoaded>
      <Suspense>
        <Show when={asking() === 'rotate' && key.value()}>
          {(row) => (
            <RotateDialog
              row={row()}
              onClose={() => setAsking(null)}
              onDone={() => {
                setAsking(null)
                void key.reload()
              }}
            />
          )}
        </Show>
        <Show when={asking() === 'revoke' && key.value()}>
          {(row) => <RevokeDialog row={row()} onClose={() => setAsking(null)} onDone={() => navigate('/keys')} />}
        </Show>
      </Suspense>
    </Page>
  )
}

function Settings(props: { row: KeyRow; onSaved(row: KeyRow): void; onRevoke(): void }) {
  const [draft, setDraft] = createDraft(() => props.row, draftOf)
  const write = createWrite()
  const readonly = () => props.row.managed === 'file'
  const changes = () => (readonly() ? [] : changesBetween(draftOf(props.row), draft()))
  const save = async () => {
    const fields = fieldsOf(draft(), Date.now())
    const patch = Object.fromEntries(changes().map((name) => [name, fields[name as keyof typeof fields]]))
    const done = await write.run(async () => {
      props.onSaved(await callApi<KeyRow>('PATCH', `/api/keys/${encodeURIComponent(props.row.id)}`, patch))
    })
    if (done) showToast(t('saved'))
  }
  return (
    <>
      <KeyFigures row={props.row} />
      <Show when={readonly()}>
        <p class="notice mb-4">{t('managed')}</p>
      </Show>
      <Show when={props.row.previousUntil}>{(until) => <p class="notice mb-4">{t('previous', { when: formatWhen(until()) })}</p>}</Show>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Fieldset title={t('general')}>
          <NameFields draft={draft()} error={write.error()} readonly={readonly()} onChange={setDraft} />
        </Fieldset>
        <UseFields draft={draft()} error={write.error()} readonly={readonly()} onChange={setDraft} />
        <LimitFields draft={draft()} error={write.error()} readonly={readonly()} onChange={setDraft} />
      </form>
      <div class="mt-2 max-w-[760px]">
        <Card title={t('danger')} bad>
          <div class="stack">
            <KeptDeletion of={{ key: props.row.id }} name={props.row.name} />
            <Show when={!readonly()}>
              <div class="flex flex-wrap items-center gap-3 text-[13px]">
                <span class="min-w-0 flex-1 text-ink-2">{t('dangerRevoke')}</span>
                <Button look="bad" onClick={() => props.onRevoke()}>
                  {t('revoke')}
                </Button>
              </div>
            </Show>
          </div>
        </Card>
      </div>
      <SaveBar
        changes={changes().map((name) => t(`change_${name}` as 'change_name'))}
        busy={write.busy()}
        error={write.unshown()}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setDraft(draftOf(props.row))
        }}
      />
    </>
  )
}
