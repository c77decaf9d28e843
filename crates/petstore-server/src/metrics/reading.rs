//! A metric that is kept elsewhere and read when somebody asks for it.

use prometheus::{
    Opts,
    core::{Collector, Desc, Describer as _},
    proto::{Counter, Gauge, Metric, MetricFamily, MetricType},
};

pub(super) struct Reading {
    desc: Desc,
    kind: MetricType,
    read: Box<dyn Fn() -> f64 + Send + Sync>,
}

impl Reading {
    pub(super) fn counter(opts: Opts, read: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self::new(opts, MetricType::COUNTER, read)
    }

    pub(super) fn gauge(opts: Opts, read: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self::new(opts, MetricType::GAUGE, read)
    }

    fn new(opts: Opts, kind: MetricType, read: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Reading {
            desc: opts
                .describe()
                .expect("names and help texts in this source are valid"),
            kind,
            read: Box::new(read),
        }
    }
}

impl Collector for Reading {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.desc]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let mut metric = Metric::from_label(self.desc.const_label_pairs.clone());
        let value = (self.read)();
        if self.kind == MetricType::COUNTER {
            let mut counter = Counter::default();
            counter.set_value(value);
            metric.set_counter(counter);
        } else {
            let mut gauge = Gauge::default();
            gauge.set_value(value);
            metric.set_gauge(gauge);
        }
        let mut family = MetricFamily::default();
        family.set_name(self.desc.fq_name.clone());
        family.set_help(self.desc.help.clone());
        family.set_field_type(self.kind);
        family.set_metric(vec![metric]);
        vec![family]
    }
}
