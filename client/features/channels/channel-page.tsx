/** One channel: health, models compared with the upstream's list, settings, and route simulation. */

import { useNavigate, useParams } from '@solidjs/router'
import { createSignal, Match, Show, Suspense, Switch } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { isDemo } from '#client/console/vendors.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { ChannelForm, formTabs } from '#client/features/channels/editing/channel-form.tsx'
import { Button } from '#client/ui/button.tsx'
import { Page as Frame } from '#client/ui/console/page.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { copyText } from '#client/ui/copy-and-save.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { Menu } from '#client/ui/menu.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow, HealthRow } from '#shared/console/channel'
import type { Page } from '#shared/console/model'
import { SideCards } from './beside/cards.tsx'
import { channelsJson, channelYaml } from './beside/channel-yaml.ts'
import { t as tb } from './beside/messages.ts'
import { ChannelStatus, penalties } from './channel-columns.tsx'
import { HealthTab } from './health-tab.tsx'
import { t } from './messages.ts'
import { ModelsTab } from './models-tab.tsx'
import { Simulation } from './simulation.tsx'

const RemoveDialog = later(async () => (await import('./remove-dialog.tsx')).RemoveDialog)
const tabs = ['health', 'models', ...formTabs, 'simulate'] as const

/** `/admin/channels/:id` */
export function ChannelPage() {
  const params = useParams<{ id: string }>()
  const url = useUrlState()
  const navigate = useNavigate()
  const [removing, setRemoving] = createSignal(false)
  const channel = createLoad(
    () => `/api/channels/${encodeURIComponent(params.id)}`,
    (path, signal) => callApi<ChannelRow>('GET', path, undefined, signal),
  )
  const health = createLoad(
    () => `/api/channels/${encodeURIComponent(params.id)}/health`,
    (path, signal) => callApi<Page<HealthRow>>('GET', path, undefined, signal),
  )
  /** The test of its models runs in the models tab, which shows the results. */
  const [testing, setTesting] = createSignal(false)
  const test = () => {
    setTesting(true)
    url.set({ tab: 'models' })
  }
  const copy = async (text: string, said: string) => {
    if (await copyText(text)) showToast(said)
  }
  // Addresses of earlier versions call the connection settings.
  const tab = () => tabs.find((one) => one === url.get('tab').replace('settings', 'connection')) ?? 'health'
  return (
    <Frame
      title={channel.value()?.name ?? t('channel')}
      above={[{ label: t('title'), href: '/admin/channels' }]}
      mark={
        <Show when={channel.value()}>
          {(row) => <Show when={health.value()}>{(known) => <ChannelStatus row={{ ...row(), rests: penalties(known().data) }} />}</Show>}
        </Show>
      }
      actions={
        <Show when={channel.value()}>
          {(row) => (
            <>
              <span class="contents max-[759px]:hidden">
                <Menu
                  label={tb('copy')}
                  ownName
                  triggerClass="btn ghost"
                  trigger={
                    <>
                      <Icon name="copy" />
                      {tb('copy')}
                    </>
                  }
                  items={() => [
                    { kind: 'item', label: tb('copyYaml'), onSelect: () => void copy(channelYaml(row()), tb('copied')) },
                    { kind: 'item', label: tb('copyJson'), onSelect: () => void copy(channelsJson([row()]), tb('copiedJson')) },
                  ]}
                />
              </span>
              <Button icon="pulse" onClick={() => test()}>
                {tb('test')}
              </Button>
              <Show when={row().managed === 'console'} fallback={<FileBadge builtIn={isDemo(row())} />}>
                <Button look="bad ghost" onClick={() => setRemoving(true)}>
                  {t('remove')}
                </Button>
              </Show>
            </>
          )}
        </Show>
      }
      tabs={
        <LinkTabs
          label={t('tabs')}
          current={tab()}
          tabs={[
            { id: 'health', label: t('tabHealth'), count: health.value() && penalties(health.value()?.data ?? []).length },
            { id: 'models', label: t('tabModels'), count: channel.value()?.models.length },
            { id: 'connection', label: t('tabConnection') },
            { id: 'costs', label: t('tabCosts') },
            { id: 'advanced', label: t('tabAdvanced') },
            { id: 'simulate', label: t('tabSimulate') },
          ]}
          href={(id) => `/admin/channels/${encodeURIComponent(params.id)}${id === 'health' ? '' : `?tab=${id}`}`}
        />
      }
    >
      <WhenLoaded of={channel} missing={{ title: t('notFound'), why: t('notFoundWhy'), href: '/admin/channels', toList: t('toChannels') }}>
        {(row) => (
          <>
            <Switch>
              <Match when={tab() === 'health'}>
                <HealthTab row={row()} health={health} />
              </Match>
              <Match when={tab() === 'models'}>
                <ModelsTab row={row()} tests={testing()} onTests={() => setTesting(false)} onSaved={channel.set} />
              </Match>
              <Match when={tab() === 'simulate'}>
                <Simulation channel={row()} />
              </Match>
            </Switch>
            <ChannelForm
              row={row()}
              tab={formTabs.find((one) => one === tab())}
              rests={penalties(health.value()?.data ?? [])}
              beside={(groups) => <SideCards row={row()} health={health.value()?.data ?? []} groups={groups()} />}
              onSaved={channel.set}
            />
          </>
        )}
      </WhenLoaded>
      <Suspense>
        <Show when={removing() && channel.value()}>
          {(row) => <RemoveDialog row={row()} onClose={() => setRemoving(false)} onDone={() => navigate('/admin/channels')} />}
        </Show>
      </Suspense>
    </Frame>
  )
}
