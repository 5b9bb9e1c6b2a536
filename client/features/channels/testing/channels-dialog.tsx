import { createSignal, For, onMount, Show } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Segments } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { ChannelRow } from '#shared/console/channel'
import { t } from './messages.ts'
import { TestResult } from './test-result.tsx'
import { createTests } from './tests.ts'

/** Tests channels side by side, as soon as it opens. Closing it stops running tests. */
export function TestChannelsDialog(props: { rows: readonly Pick<ChannelRow, 'id' | 'name'>[]; onClose(): void }) {
  const [form, setForm] = createSignal<'streamed' | 'whole'>('streamed')
  const tests = createTests((channel) => ({ channel }))
  const rows = [...props.rows]
  const run = () =>
    tests.run(
      rows.map(({ id }) => id),
      form() === 'streamed',
    )
  onMount(() => void run())
  return (
    <Dialog
      wide
      title={t('manyTitle', { count: rows.length })}
      intro={t('manyIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <span class="mr-auto text-[13px] text-ink-2" role="status">
            {t('counts', { count: tests.counts().done, failed: tests.counts().failed })}
          </span>
          <Show when={tests.running()} fallback={<Button onClick={() => void run()}>{t('again')}</Button>}>
            <Button icon="stop" onClick={() => tests.stop()}>
              {t('stop')}
            </Button>
          </Show>
          <Button look="primary" onClick={() => props.onClose()}>
            {tc('close')}
          </Button>
        </>
      }
    >
      <Segments
        label={t('form')}
        value={form()}
        options={(['streamed', 'whole'] as const).map((value) => ({ value, label: t(value) }))}
        onChange={setForm}
      />
      <ul class="mt-3 grid gap-2 text-[13px]/[20px]">
        <For each={rows}>
          {(row) => (
            <li class="grid grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] gap-3">
              <a class="truncate font-medium" href={`/admin/channels/${encodeURIComponent(row.id)}?tab=models`} title={row.name}>
                {row.name}
              </a>
              <Show when={tests.of(row.id)}>{(test) => <TestResult name={row.name} test={test()} />}</Show>
            </li>
          )}
        </For>
      </ul>
    </Dialog>
  )
}
