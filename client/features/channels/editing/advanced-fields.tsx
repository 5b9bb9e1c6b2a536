import { AreaField, CheckList, Fieldset, SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { dialects, operations } from '#shared/ids'
import type { Fields } from './fields.ts'
import { t } from './messages.ts'
import { PairsField } from './pairs-field.tsx'

const timeouts = ['connect', 'firstEvent', 'betweenEvents', 'total'] as const

/** Request changes, timeouts and network settings. */
export function AdvancedFields(props: Fields) {
  const pem = (name: 'ca' | 'cert' | 'key') => (
    <AreaField
      label={t(name)}
      hint={t(`${name}Hint`)}
      mono
      rows={2}
      value={props.form[name]}
      readonly={props.readonly}
      error={props.wrong(name)}
      onChange={(text) => props.onChange({ [name]: text })}
    />
  )
  return (
    <>
      <Fieldset title={t('sent')}>
        <PairsField
          label={t('set')}
          hint={t('setHint')}
          nameLabel={t('setName')}
          valueLabel={(name) => t('setValue', { name })}
          add={t('addField')}
          rows={props.form.set}
          readonly={props.readonly}
          error={props.wrong('set')}
          onChange={(set) => props.onChange({ set })}
        />
        <TextField
          label={t('remove')}
          hint={t('removeHint')}
          mono
          value={props.form.remove}
          readonly={props.readonly}
          error={props.wrong('remove')}
          onChange={(remove) => props.onChange({ remove })}
        />
        <AreaField
          label={t('systemPrompt')}
          value={props.form.systemPrompt}
          readonly={props.readonly}
          error={props.wrong('systemPrompt')}
          onChange={(systemPrompt) => props.onChange({ systemPrompt })}
        />
        <SwitchField
          label={t('strict')}
          hint={t('strictHint')}
          on={props.form.strict}
          onChange={(strict) => !props.readonly && props.onChange({ strict })}
        />
        <PairsField
          label={t('headers')}
          hint={t('headersHint')}
          nameLabel={t('headerName')}
          valueLabel={(name) => t('headerValue', { name })}
          add={t('addHeader')}
          rows={props.form.headers}
          readonly={props.readonly}
          error={props.wrong('headers')}
          onChange={(headers) => props.onChange({ headers })}
        />
      </Fieldset>
      <Fieldset title={t('timeouts')}>
        <div class="two">
          {timeouts.map((phase) => (
            <UnitField
              label={t(phase)}
              hint={t(`${phase}Hint`)}
              unit={t('seconds')}
              value={props.form[phase]}
              readonly={props.readonly}
              error={props.wrong(phase)}
              onChange={(text) => props.onChange({ [phase]: text })}
            />
          ))}
        </div>
      </Fieldset>
      <Fieldset title={t('network')}>
        <TextField
          label={t('proxy')}
          hint={t('proxyHint')}
          mono
          value={props.form.proxy}
          readonly={props.readonly}
          error={props.wrong('proxy')}
          onChange={(proxy) => props.onChange({ proxy })}
        />
        {pem('ca')}
        <div class="two">
          {pem('cert')}
          {pem('key')}
        </div>
      </Fieldset>
      <Fieldset title={t('upstream')}>
        <div class="two">
          <CheckList
            label={t('speaks')}
            hint={t('speaksHint')}
            options={dialects.map((value) => ({ value, label: value }))}
            chosen={props.form.speaks}
            readonly={props.readonly}
            onChange={(chosen) => props.onChange({ speaks: dialects.filter((one) => chosen.includes(one)) })}
          />
          <CheckList
            label={t('operations')}
            hint={t('operationsHint')}
            options={operations.map((value) => ({ value, label: value }))}
            chosen={props.form.operations}
            readonly={props.readonly}
            onChange={(chosen) => props.onChange({ operations: operations.filter((one) => chosen.includes(one)) })}
          />
        </div>
        <SwitchField
          label={t('foreignState')}
          hint={t('foreignStateHint')}
          on={props.form.foreignState}
          onChange={(foreignState) => !props.readonly && props.onChange({ foreignState })}
        />
      </Fieldset>
    </>
  )
}
