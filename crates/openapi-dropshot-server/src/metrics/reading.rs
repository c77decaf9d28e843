//! A metric whose value is stored elsewhere and is read when `/metrics` is
//! requested.

use prometheus::{
    Opts,
    core::{Collector, Desc, Describer as _},
    proto::{Bucket, Counter, Gauge, Histogram, Metric, MetricFamily, MetricType},
};

pub(super) struct Reading {
    desc: Desc,
    read: Box<dyn Fn() -> Option<Value> + Send + Sync>,
}

/// The value of a metric at one moment.
pub(super) enum Value {
    Counter(f64),
    Gauge(f64),
    Histogram(Observations),
}

/// The values that were observed since the start, grouped into buckets by size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// The upper bounds of the buckets in ascending order, each with the number of values in the
    /// bucket: those that are not above this bound, but above the previous one.
    pub classes: Vec<(f64, u64)>,
    /// The number of all values.
    pub count: u64,
    /// The sum of all values.
    pub sum: f64,
}

impl Reading {
    pub(super) fn new(
        opts: &Opts,
        read: impl Fn() -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let desc = opts.describe();
        Reading {
            desc: desc.expect("names and help texts in this source are valid"),
            read: Box::new(read),
        }
    }
}

/// In the format of Prometheus, the count of a bucket includes the counts of all lower buckets.
fn histogram_of(observed: &Observations) -> Histogram {
    let mut below = 0;
    let bucket = |&(bound, count): &(f64, u64)| {
        below += count;
        let mut bucket = Bucket::default();
        bucket.set_upper_bound(bound);
        bucket.set_cumulative_count(below);
        bucket
    };
    let mut histogram = Histogram::default();
    histogram.set_bucket(observed.classes.iter().map(bucket).collect());
    histogram.set_sample_count(observed.count);
    histogram.set_sample_sum(observed.sum);
    histogram
}

impl Collector for Reading {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.desc]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let Some(value) = (self.read)() else {
            return Vec::new();
        };
        let mut metric = Metric::from_label(self.desc.const_label_pairs.clone());
        let kind = match value {
            Value::Counter(value) => {
                let mut counter = Counter::default();
                counter.set_value(value);
                metric.set_counter(counter);
                MetricType::COUNTER
            }
            Value::Gauge(value) => {
                let mut gauge = Gauge::default();
                gauge.set_value(value);
                metric.set_gauge(gauge);
                MetricType::GAUGE
            }
            Value::Histogram(observed) => {
                metric.set_histogram(histogram_of(&observed));
                MetricType::HISTOGRAM
            }
        };
        let mut family = MetricFamily::default();
        family.set_name(self.desc.fq_name.clone());
        family.set_help(self.desc.help.clone());
        family.set_field_type(kind);
        family.set_metric(vec![metric]);
        vec![family]
    }
}
