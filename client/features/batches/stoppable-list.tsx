import { createSignal, type JSX, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { type Column, DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { t } from './messages.ts'

interface Work {
  id: string
  user?: { id: string; name: string | null }
  key: string | null
  createdAt: string
}

/** The texts for stopping a row. */
export interface StopTexts {
  button: string
  /** The button's name for screen readers. */
  label: string
  title: string
  why: string
  /** Said when it was stopped. */
  done: string
}

/** Rows of `path`, newest first and live, each with a way to stop it; `stop` is undefined for those that cannot be stopped. */
export function StoppableList<Row extends Work>(props: {
  path: string
  label: string
  intro: string
  columns: readonly Column<Row>[]
  stop(row: Row): StopTexts | undefined
  empty: JSX.Element
}) {
  const pages = createPages<Row>(() => `${props.path}?limit=50`)
  onChange(['requests'], () => void pages.reload())
  const write = createWrite()
  const [stopping, setStopping] = createSignal<{ id: string; texts: StopTexts }>()
  const stop = async ({ id, texts }: { id: string; texts: StopTexts }) => {
    setStopping(undefined)
    if (await write.run(() => callApi('POST', `${props.path}/${encodeURIComponent(id)}/stop`))) showToast(texts.done)
    void pages.reload()
  }
  const actions: Column<Row> = {
    id: 'actions',
    label: t('actions'),
    bare: true,
    right: true,
    card: 'whole',
    cell: (row) => (
      <Show when={props.stop(row)}>
        {(texts) => (
          <Button size="sm" aria-label={texts().label} busy={write.busy()} onClick={() => setStopping({ id: row.id, texts: texts() })}>
            {texts().button}
          </Button>
        )}
      </Show>
    ),
  }
  return (
    <>
      <p class="mb-4 max-w-[72ch] text-[13px] text-ink-2">{props.intro}</p>
      <Refusal of={write} class="mb-4" />
      <Loaded of={pages}>
        <DataTable
          label={props.label}
          rows={pages.value()}
          rowId={(row) => row.id}
          columns={[...props.columns, actions]}
          empty={props.empty}
          foot={t('shown', { count: pages.value()?.length ?? 0 })}
          footEnd={t('kept')}
          more={pages.more()}
        />
      </Loaded>
      <Show when={stopping()}>
        {(asked) => (
          <Confirm
            title={asked().texts.title}
            intro={asked().texts.why}
            safe={t('cancel')}
            go={asked().texts.button}
            onGo={() => void stop(asked())}
            onClose={() => setStopping(undefined)}
          />
        )}
      </Show>
    </>
  )
}

/** Whose it is: for administrators the user, and the key. */
export function Owner(props: { row: Work }) {
  const { admin } = useSession()
  return (
    <div>
      <Show when={admin() && props.row.user}>{(user) => <span>{user().name ?? user().id}</span>}</Show>
      <small>{props.row.key ?? '–'}</small>
    </div>
  )
}

/** When it was started. */
export const Begun = (props: { row: Work }) => (
  <span class="num text-ink-2" title={formatExactly(props.row.createdAt)}>
    {formatWhen(props.row.createdAt)}
  </span>
)
