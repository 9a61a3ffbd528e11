import type { DateOrNull } from "./chain-types.js";

/** Sales with the same step. Days are whole numbers, or null when too few sales ended the step. */
export interface ComparableSales {
  readonly stratum: string;
  readonly sales: number;
  readonly half_days: number | null;
  readonly nine_in_ten_days: number | null;
}

/** A step of one sale that is not done. */
export interface OpenStep {
  readonly listing_id: number;
  readonly milestone: string;
  readonly since: DateOrNull;
  readonly days: number | null;
  readonly expected: DateOrNull;
  readonly overdue_days: number | null;
  readonly comparable: ComparableSales | null;
}

/** The sale that is ready last. `last_percent` says how often it is the last, in 100 cases. */
export interface Holder {
  readonly step: OpenStep;
  readonly last_percent: number;
  readonly ready_days: number | null;
}

/** What the service found out about a chain, or why it says nothing. */
export type Outcome =
  | "held" | "ready" | "fell_through" | "no_buyer" | "no_date_of_sale"
  | "exchanged" | "few_steps" | "few_forecasts" | "many_misses";

/** Which sale holds a chain up. */
export interface Bottleneck {
  readonly rule_version: number;
  readonly chain_link_id: string;
  readonly date: string;
  readonly outcome: Outcome;
  readonly explanation: string;
  readonly holder: Holder | null;
  readonly runner_up: Holder | null;
  readonly margin_days: number | null;
  readonly is_shared: boolean;
  readonly proposed_exchange: DateOrNull;
  readonly top_checked: boolean;
  readonly bottom_checked: boolean;
}

/** The days between which a chain is likely to exchange. */
export interface ForecastInterval {
  readonly from: DateOrNull;
  /** Null beyond a year. */
  readonly to: DateOrNull;
}

/** When a chain is likely to exchange. `silence` says why `exchange` is null. */
export interface Forecast {
  readonly rule_version: number;
  readonly chain_link_id: string;
  readonly date: string;
  readonly exchange: {
    readonly median: DateOrNull;
    readonly interval_50: ForecastInterval;
    readonly interval_80: ForecastInterval;
  } | null;
  readonly silence: { readonly code: Outcome; readonly detail: string } | null;
  readonly steps: readonly OpenStep[];
  readonly fall_through: { readonly sales: number; readonly fell_through: number } | null;
  readonly past_forecasts: {
    readonly ended: number;
    readonly covered_80_percent: number;
    readonly median_error_days: number;
    readonly backdated: number;
  };
}
